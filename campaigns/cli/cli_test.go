package cli

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"ordeal/campaigns/cli/man"
	"ordeal/campaigns/internal/must"
	"ordeal/sim/gem5/fakegem5"
)

func TestMain(m *testing.M) {
	if os.Getenv(rootVariable) == "" { // the tests themselves, which run in their package's folder
		root, err := filepath.Abs("../..")
		if err != nil {
			panic(err)
		}
		if err := os.Setenv(rootVariable, root); err != nil {
			panic(err)
		}
	}
	// As users have it, and not as make test sets it: what is measured of memory depends on it.
	if err := os.Unsetenv("GOGC"); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){
		"ordeal": func() { os.Exit(Main(os.Args, manual(), os.Stdin, os.Stdout, os.Stderr)) },
		"ordeal-man": func() {
			if err := man.Write(Command(), os.Args[1]); err != nil {
				panic(err)
			}
		},
		"gem5": func() { os.Exit(fakegem5.Main(os.Args[1:], os.Stdout, os.Stderr)) },
	})
}

// rootVariable names the environment variable with the folder of the repository, for the
// processes that tests start in other folders.
const rootVariable = "ORDEAL_TEST_ROOT"

// manual returns the manual of the repository.
func manual() fs.FS { return os.DirFS(os.Getenv(rootVariable)) }

var update = flag.Bool("update", false, "rewrite the expected output in testdata")

// TestScripts runs the scripts of testdata on the real command. A script that
// executes programs asks for [host].
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 abs(t, "testdata"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup:               setup,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"input": inputCommand, "status": status, "json": jsonCommand},
		Condition: func(name string) (bool, error) {
			switch name {
			case "host":
				return runtime.GOOS == "linux" && runtime.GOARCH == "amd64", nil
			case "full":
				_, err := os.Stat("/dev/full")
				return err == nil, nil
			}
			return false, nil
		},
	})
}

// process is the ordeal command as a process of its own.
func process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("programs run on linux/amd64 only")
	}
	path, err := exec.LookPath("ordeal") // put there by TestMain
	must.Succeed(t, err)
	return exec.Command(path, args...)
}

// patience bounds waits for what another process does. It is far beyond what that takes
// where twenty others want the processors: only a test that fails waits so long.
const patience = 20 * time.Minute

const endless = "name: endless\nconfigs:\n  - {name: a, runs: 100000, threads: 2, ops: 20, locations: 2, rounds: 20}\n"

// TestInterrupt interrupts a campaign: it ends with a table of what is
// recorded, and every line of the journal is whole.
func TestInterrupt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	cmd := process(t, "campaign", "run", "--dir", dir, "-")
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(endless), &stdout, &stderr
	must.Succeed(t, cmd.Start())
	journal := filepath.Join(dir, "runs.jsonl")
	recorded := 0
	for deadline := time.Now().Add(patience); recorded < 5 && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		data, _ := os.ReadFile(journal)
		recorded = bytes.Count(data, []byte("\n"))
	}
	must.Succeed(t, cmd.Process.Signal(os.Interrupt))
	cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 3 {
		t.Errorf("exit status %d, want 3\n%s", got, &stderr)
	}
	for _, want := range []string{"Interrupted: ", "total"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("no %q on standard output\n%s", want, &stdout)
		}
	}
	data, err := os.ReadFile(journal)
	must.Succeed(t, err)
	if n := bytes.Count(data, []byte("\n")); n < recorded || recorded < 5 {
		t.Errorf("%d runs recorded before the interrupt, %d after it", recorded, n)
	}
	if !bytes.HasSuffix(data, []byte("}\n")) {
		t.Errorf("the journal ends in %q", data[max(0, len(data)-40):])
	}
}

// TestFullDisk runs a campaign where no file may grow beyond a few blocks, as
// on a full disk: it says so, keeps what is recorded and exits with 4.
func TestFullDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	ordeal := process(t)
	// The journal outgrows 8 blocks of 1024 bytes after some twenty runs.
	cmd := exec.Command("bash", "-c", `trap "" XFSZ; ulimit -f 8; exec "$0" campaign run --dir "$1" -`, ordeal.Path, dir)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(endless), &stdout, &stderr
	cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != 4 {
		t.Errorf("exit status %d, want 4", got)
	}
	if !strings.Contains(stderr.String(), syscall.EFBIG.Error()) {
		t.Errorf("standard error does not name the reason:\n%s", &stderr)
	}
	data, err := os.ReadFile(filepath.Join(dir, "runs.jsonl"))
	must.Succeed(t, err)
	if n := bytes.Count(data, []byte("\n")); n < 2 {
		t.Errorf("%d whole lines in the journal\n%s", n, &stderr)
	}
	if !strings.Contains(stdout.String(), "total") {
		t.Errorf("no table on standard output\n%s", &stdout)
	}
}
