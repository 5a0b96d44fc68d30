package schema_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"

	"ordeal/campaigns/cli"
	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/internal/must"
)

// documents are the commands without --json, and why: what they print, or write to a
// file, is a document of a form that is asked for.
var documents = map[string]string{
	"gen":             "prints a program, in the form of --emit",
	"convert":         "prints executions, in the format of --to",
	"slicc convert":   "prints a protocol, in the language of today",
	"help":            "prints help texts and the manual",
	"mutate apply":    "writes a patch",
	"gem5 agent":      "writes source files",
	"campaign report": "writes a report, in the form of --format: jsonl and sarif are JSON",
}

// jsonLine is a command line, without --json.
type jsonLine struct {
	path, args string
	status     int
	form       string // the schema of what is printed, if there is one
}

// jsonLines has a command line for each command with --json, in an order in which each
// finds what it needs, and its exit status.
var jsonLines = []jsonLine{
	{"run", "--sim builtin --protocol mi --core tso --seed 1 --ops 40 --rounds 2 --dir passed --coverage", 0, ""},
	{"run", "--sim builtin --protocol mi --mutant MI_example/L1Cache/(M,Load)/delete --seed 7 --ops 40 --rounds 3 --dir failed", 1, ""},
	{"repro", "--tries 1 --trace failed", 1, ""},
	{"explain", "failed", 0, "explanation"},
	{"reduce", "--runs 40 failed", 0, ""},
	{"reduce", "--model sc sb.axe", 0, ""},
	{"explore", "--protocol mi --cores 1 --dir explored", 0, ""},
	{"slicc check", "small/small.slicc", 0, ""},
	{"slicc table", "small/small.slicc", 0, ""},
	{"check", "--model tso,sc sb.axe", 1, "verdict"},
	{"check", "--follow --model tso sb.axe", 0, "verdict"},
	{"check", "--serializability sc sb.events", 0, "verdict"},
	{"verify", "verdict.json sb.axe", 0, ""},
	{"campaign run", "--quiet --dir night night.yaml", 1, "summary"},
	{"campaign resume", "--quiet night", 1, "summary"},
	{"campaign diff", "night night", 0, "diff"},
	{"campaign trend", "night", 0, "trend"},
	{"campaign merge", "-o merged night", 1, ""},
	{"campaign reindex", "--db x.db night", 0, ""},
	{"campaign query", "--db x.db SELECT(1)version", 0, ""},
	{"litmus", "--sim builtin --protocol mi --core tso --rounds 20 --dir litmus sb.litmus", 0, ""},
	{"mutate list", "--protocol mi", 0, ""},
	{"mutate show", "--protocol mi MI_example/L1Cache/(M,Load)/delete", 0, ""},
	{"mutate run", "--protocol mi --core inorder --sample 1 --budget 500 --runs 1 --dir mutants", 0, ""},
	{"mutate bugs", "--seeds 1 --budget 1000 mi-forward-without-notice", 0, ""},
	{"mutate repair", "--tries 1 --best 1 failed", 3, ""},       // the first edit is no repair
	{"bench bugs", "--gem5-tree clone --dir bugs MI-05", 0, ""}, // a row with its reason
	{"audit", "--protocol mi --engines sample --steps 20000 --dir audited", 0, "audit"},
	{"bench papers", "--scale 0.001 --only gcc-caught", 0, ""},
	{"doctor", "", 0, ""},
	{"models", "", 0, ""},
	{"models", "tso", 0, ""},
	{"schema", "", 0, ""},
	{"version", "", 0, ""},
	{"campaign report", "--format jsonl -o - night", 0, "report"},
}

// elsewhere are the commands with --json whose output is checked by other tests.
var elsewhere = map[string]string{
	"campaign submit": "cluster.txtar",
	"campaign status": "cluster.txtar",
	"campaign cancel": "cluster.txtar",
	"bench history":   "history.txtar",
	"campaign schema": "a JSON Schema, whose version is that of its dialect: TestSchema of campaigns/config",
	"serve":           "works until it is interrupted: TestServe",
}

// leaves are the commands that do something, by their paths below ordeal.
func leaves(root *cobra.Command) map[string]*cobra.Command {
	all := make(map[string]*cobra.Command)
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if _, path, _ := strings.Cut(cmd.CommandPath(), " "); !cmd.HasSubCommands() && !cmd.Hidden && path != "" {
			all[path] = cmd
		}
		for _, sub := range cmd.Commands() {
			if !sub.Hidden {
				walk(sub)
			}
		}
	}
	walk(root)
	return all
}

// TestEveryCommandHasJSON demands --json of every command but those of documents, and a
// command line of each that is checked.
func TestEveryCommandHasJSON(t *testing.T) {
	root := cli.Command()
	root.InitDefaultHelpCmd()
	all := leaves(root)
	for path, cmd := range all {
		has, why := cmd.Flags().Lookup("json") != nil, documents[path]
		switch {
		case has && why != "":
			t.Errorf("ordeal %s has --json, and is among the documents", path)
		case !has && why == "":
			t.Errorf("ordeal %s has no --json", path)
		case has && elsewhere[path] == "" && !slices.ContainsFunc(jsonLines, func(l jsonLine) bool { return l.path == path }):
			t.Errorf("no command line with --json for ordeal %s", path)
		}
	}
	for _, list := range []map[string]string{documents, elsewhere} {
		for path, where := range list {
			if all[path] == nil {
				t.Errorf("no command %s among %d", path, len(all))
			}
			if !strings.HasSuffix(where, ".txtar") {
				continue
			}
			text, err := os.ReadFile("../testdata/" + where)
			must.Succeed(t, err)
			if !regexp.MustCompile(`(?m)^json [0-4] ordeal ` + path + ` .*--json`).Match(text) {
				t.Errorf("%s does not check ordeal %s --json", where, path)
			}
		}
	}
}

// TestJSON demands one JSON object, or one on each line, with a version of each command.
func TestJSON(t *testing.T) {
	root, err := filepath.Abs("../../..")
	must.Succeed(t, err)
	manual := os.DirFS(root)
	schemas := make(map[string]*jsonschema.Schema)
	for name := range forms {
		schemas[name] = strictly(t, name)
	}
	schemas[""] = compiled(t, "any", fmt.Appendf(nil, `{"required":["version"],"properties":{"version":{"const":%d}}}`, command.JSONVersion))
	t.Chdir(t.TempDir())
	must.Succeed(t, os.CopyFS("small", os.DirFS(filepath.Join(root, "sim/ruby/testdata/small"))))
	for name, text := range map[string]string{
		"sb.axe":     "0: M[0] := 1\n0: M[1] == 0\n1: M[1] := 1\n1: M[0] == 0\ncheck\n",
		"sb.events":  "ordeal-events 1\nexecution\nthreads 0\nvariables x\n0 begin\n0 read x\n0 end\n",
		"sb.litmus":  "X86_64 SB\n{}\n P0         | P1         ;\n movl $1,(x) | movl $1,(y) ;\n movl (y),%eax | movl (x),%eax ;\nexists (0:rax=0 /\\ 1:rax=0)\n",
		"night.yaml": "name: night\nsim: builtin\nconfigs: [{name: a, runs: 3, threads: 2, ops: 20, locations: 4, rounds: 3, protocol: mi, core: tso, core-bugs: [buffer-out-of-order]}]\n",
	} {
		must.Succeed(t, os.WriteFile(name, []byte(text), 0o600))
	}
	noGit := exec.Command("git", "init", "-q", "clone").Run() // without commits
	for _, l := range jsonLines {
		if noGit != nil && l.path == "bench bugs" {
			t.Logf("no bench bugs: git init: %v", noGit)
			continue
		}
		args := slices.Concat(strings.Fields(l.path), strings.Fields(l.args))
		if documents[l.path] == "" {
			args = append(args, "--json")
		}
		var stdout, stderr bytes.Buffer
		status := cli.Main(append([]string{"ordeal"}, args...), manual, strings.NewReader(""), &stdout, &stderr)
		err := validate(schemas[l.form], stdout.String())
		if status != l.status || err != nil {
			t.Errorf("ordeal %s: exit status %d, want %d; %v\n%.2000s%s", strings.Join(args, " "), status, l.status, err, &stdout, &stderr)
		}
		if l.path == "check" && l.status == 1 {
			must.Succeed(t, os.WriteFile("verdict.json", stdout.Bytes(), 0o600))
		}
	}
	for path, form := range map[string]string{"failed/run.json": "record", "failed/result.json": "result", "night/000000/run.json": "record"} {
		text, err := os.ReadFile(path)
		must.Succeed(t, err)
		if err := validate(schemas[form], string(text)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}
