package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/campaigns/internal/must"
)

// quoted is a text as a word of a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// TestHostileTools has the tools of this machine, gem5 among them, print hostile texts
// as their versions and messages, and end in any way. -soak tries more commands.
func TestHostileTools(t *testing.T) {
	process(t) // skips where programs do not run
	fake, err := exec.LookPath("gem5")
	must.Succeed(t, err)
	work := t.TempDir()
	tools := filepath.Join(work, "tools")
	gem5 := filepath.Join(work, "tree", "build", "X", "gem5.opt")
	for _, dir := range []string{tools, filepath.Join(work, "tree", "configs", "ruby"), filepath.Dir(gem5)} {
		must.Succeed(t, os.MkdirAll(dir, 0o755))
	}
	script := func(path, text string) {
		must.Succeed(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755))
	}
	// A version is the first line.
	line := strings.NewReplacer("\r", "", "\n", "").Replace(evil)
	script(filepath.Join(tools, "cc"), "printf %s "+quoted(line))
	script(filepath.Join(tools, "herd7"), "printf %s "+quoted(evil)+" >&2")
	script(filepath.Join(tools, "chromium"), "printf %s "+quoted(evil))
	script(filepath.Join(tools, "litmus7"), "printf %s "+quoted(evil)+" >&2; exit 3")
	t.Setenv("PATH", tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("ORDEAL_GEM5_TREE", filepath.Join(work, "tree"))
	t.Setenv("ORDEAL_FAKE_GEM5", "protocol=MESI_Two_Level")
	info := func(version string, more ...string) string {
		text, err := json.Marshal(map[string]any{"version": version, "protocols": append([]string{"MESI_Two_Level"}, more...), "isas": append([]string{"x86"}, more...)})
		must.Succeed(t, err)
		return "case \"$*\" in *--info*) printf 'ORDEAL info %s\\n' " + quoted(string(text)) + "; exit ;; esac\n"
	}
	campaign := filepath.Join(work, "c.yaml")
	must.Succeed(t, os.WriteFile(campaign, fmt.Appendf(nil, "name: night\nsim: gem5\nconfigs: [{name: a, runs: 1, threads: 2, ops: 10, locations: 2, rounds: 2, gem5: %s, gem5-tree: %s}]\n",
		gem5, filepath.Join(work, "tree")), 0o600))
	h := &hostile{}
	n := 0
	for what, text := range map[string]string{
		"version":        info(evil) + "exec " + fake + " \"$@\"",
		"a protocol":     info("24", evil) + "exec " + fake + " \"$@\"",
		"a line":         info(line) + "exec " + fake + " \"$@\"",
		"no version":     "printf %s " + quoted(evil) + "; printf %s " + quoted(evil) + " >&2; exit 1",
		"panic":          info("24") + "printf '%s\\n' " + quoted("src/mem/x.cc:1: panic: "+evil) + " >&2; kill -ABRT $$",
		"fatal":          info("24") + "printf '%s\\n' " + quoted("src/mem/"+line+".cc:1: fatal: "+line) + " >&2; exit 1",
		"assertion":      info("24") + "printf '%s\\n' " + quoted("gem5: x.cc:1: void "+line+"(): Assertion `"+line+"' failed.") + " >&2; kill -ABRT $$",
		"transition":     info("24") + "printf '%s\\n' " + quoted("x_Transitions.cc:1: panic: Invalid transition\nsystem."+line+" time: 1 addr: "+line+" event: "+line+" state: "+line) + " >&2; kill -ABRT $$",
		"log":            info("24") + "printf '%s\\n' " + quoted(evil) + "; exit 0",
		"a message last": info("24") + fake + " \"$@\"; printf '%s\\n' " + quoted(evil) + " >&2; exit 1",
	} {
		script(gem5, text)
		n++
		dir := filepath.Join(work, fmt.Sprint(n))
		out := filepath.Join(work, fmt.Sprint(n, "out"))
		must.Succeed(t, os.Mkdir(out, 0o700))
		run := []string{"run", "--sim", "gem5", "--gem5", gem5, "--gem5-tree", filepath.Join(work, "tree"), "--threads", "2", "--ops", "10", "--rounds", "2", "--dir", dir}
		commands := [][]string{{"doctor"}, run, {"repro", "--tries", "1", dir}, {"check", dir}}
		if *soak {
			commands = append(commands, []string{"doctor", "--json"}, []string{"explain", dir},
				[]string{"campaign", "run", "--quiet", "--dir", dir + "night", campaign}, []string{"campaign", "status", dir + "night"},
				[]string{"campaign", "report", "-o", filepath.Join(out, "r.html"), dir + "night"})
		}
		for _, args := range commands {
			var printed bytes.Buffer
			if Main(append([]string{"ordeal"}, args...), manual(), strings.NewReader(""), &printed, &printed); printed.Len() == 0 {
				t.Errorf("%s: %v prints nothing", what, args)
			}
			inspect(t, fmt.Sprintf("%s: %s", what, strings.Join(args, " ")), printed.String(), false)
		}
		h.files(t, what, out)
	}
}

// TestHostileLitmus has a hostile text behind each word of a litmus test of others.
func TestHostileLitmus(t *testing.T) {
	dir := t.TempDir()
	const test = `X86 SB
"Rfe PodWR Rfe PodWR"
Generator=diy7
{ 0:rax=0; x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\ 1:EAX=0)
`
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "SB.litmus"), []byte(test), 0o600))
	h := hostile{dir: dir, stride: 7}
	for _, words := range []string{
		"litmus --sim builtin --rounds 1 --dir OUT/l DIR/SB.litmus", "litmus --sim builtin --rounds 1 --table DIR/SB.litmus",
		"litmus --json --sim builtin --rounds 1 DIR/SB.litmus",
	} {
		h.commands = append(h.commands, strings.Fields(words))
	}
	h.try(t, wordFields("SB.litmus", []byte(test)))
}

// TestHostileMatrix has a hostile text in fields of the results of mutants, with which
// mutate run goes on, and which a report shows; with -soak in each field.
func TestHostileMatrix(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mutants")
	run := strings.Fields("mutate run --protocol mi --core tso --sample 2 --budget 1000 --dir")
	var printed bytes.Buffer
	if status := Main(append([]string{"ordeal"}, append(run, dir)...), manual(), strings.NewReader(""), &printed, &printed); status > 1 {
		t.Fatalf("status %d: %s", status, &printed)
	}
	night := filepath.Join(t.TempDir(), "night")
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Succeed(t, os.WriteFile(file, []byte("name: night\nsim: builtin\nconfigs: [{name: a, protocol: mi, runs: 1, threads: 2, ops: 5, rounds: 1}]\n"), 0o600))
	begin := []string{"ordeal", "campaign", "run", "--quiet", "--dir", night, file}
	if status := Main(begin, manual(), strings.NewReader(""), &printed, &printed); status > 1 {
		t.Fatalf("status %d: %s", status, &printed)
	}
	var fields []field
	for name, of := range map[string]func(*testing.T, string, []byte) []field{"matrix.jsonl": lineFields, "matrix.json": func(t *testing.T, name string, text []byte) []field {
		return jsonFields(t, name, text, unsealed)
	}} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		must.Succeed(t, err)
		fields = append(fields, of(t, name, text)...)
	}
	h := hostile{dir: dir, stride: 3, commands: [][]string{
		append(run, "DIR"), {"campaign", "report", "--kill", "DIR/matrix.json", "-o", "OUT/r.html", night},
	}}
	h.try(t, fields)
}
