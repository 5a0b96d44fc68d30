package cli

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// Keys of a script's values: standard input of the next ordeal inside, and standard
// output of the last.
type (
	input  struct{}
	output struct{}
)

// setup gives a script its environment, and the place of what inside reads.
func setup(e *testscript.Env) error {
	e.Setenv("XDG_CONFIG_HOME", filepath.Join(e.WorkDir, ".config"))
	e.Setenv("XDG_STATE_HOME", filepath.Join(e.WorkDir, ".state"))
	root := os.Getenv(rootVariable)
	e.Setenv(rootVariable, root)
	e.Setenv("NIGHT", filepath.Join(root, "campaigns/gem5.yaml"))
	e.Setenv("SMALL", filepath.Join(root, "sim/ruby/testdata/small"))
	e.Setenv("PROTOCOLS", filepath.Join(root, "sim/protocols/slicc"))
	e.Values[input{}], e.Values[output{}] = new(string), new(strings.Builder)
	for _, variable := range e.Vars {
		name, _, _ := strings.Cut(variable, "=")
		variables().Store(name, true)
	}
	return nil
}

// variables has the names of the variables that scripts set.
var variables = sync.OnceValue(func() *sync.Map {
	names := new(sync.Map)
	scripts, _ := filepath.Glob(filepath.Join(os.Getenv(rootVariable), "campaigns/cli/testdata/*.txtar"))
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		if err != nil {
			panic(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^(?:\[\w+\] )?env (\w+)=`).FindAllSubmatch(text, -1) {
			names.Store(string(m[1]), true)
		}
	}
	return names
})

// place guards what commands of one process share: working directory, environment, and
// the limits of the collector.
var place sync.Mutex

// inside runs ordeal in the process of the test, as the script's directory and environment
// would have it run as one of its own: starting one costs 50 ms. What is tested of processes,
// as pipes, signals and copies of the executable, is for exec ordeal.
func inside(ts *testscript.TestScript, args []string) (status int) {
	place.Lock()
	defer place.Unlock()
	dir, err := os.Getwd()
	ts.Check(err)
	tree, environment := manual(), os.Environ()
	defer func() { ts.Check(errors.Join(os.Chdir(dir), setEnvironment(environment))) }()
	ts.Check(os.Chdir(ts.MkAbs(".")))
	set := []string{"PWD=" + ts.MkAbs(".")}
	variables().Range(func(name, _ any) bool {
		if value := ts.Getenv(name.(string)); value != "" {
			set = append(set, name.(string)+"="+value)
		}
		return true
	})
	ts.Check(setEnvironment(set))
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	defer debug.SetMemoryLimit(math.MaxInt64)
	in := ts.Value(input{}).(*string)
	defer func() { *in = "" }()
	out := ts.Value(output{}).(*strings.Builder)
	out.Reset()
	return Main(append([]string{"ordeal"}, args...), tree, strings.NewReader(*in), io.MultiWriter(out, ts.Stdout()), ts.Stderr())
}

// setEnvironment gives this process these variables and no others.
func setEnvironment(variables []string) (err error) {
	os.Clearenv()
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		err = errors.Join(err, os.Setenv(name, value))
	}
	return err
}

// inputCommand names the file with the standard input of the next ordeal inside: input FILE.
func inputCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: input FILE")
	}
	*ts.Value(input{}).(*string) = ts.ReadFile(args[0])
}

// status runs a command, ordeal inside, and demands its exit status: status N [exec] COMMAND….
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N [exec] COMMAND…")
	}
	got := ""
	switch {
	case args[1] == "ordeal":
		got = strconv.Itoa(inside(ts, args[2:]))
	case args[1] == "exec" && len(args) > 2:
		got = "0"
		if err := ts.Exec(args[2], args[3:]...); err != nil {
			got = strings.TrimPrefix(err.Error(), "exit status ")
		}
	default:
		ts.Fatalf("status: want ordeal or exec COMMAND")
	}
	if got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}
