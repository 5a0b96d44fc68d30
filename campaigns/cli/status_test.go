package cli

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ordeal/campaigns/cli/evaluate"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/must"
	"ordeal/parse/formats"
	"ordeal/parse/formats/axe"
)

// ordeal runs a command in this process.
func ordeal(stdin string, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = Main(append([]string{"ordeal"}, args...), manual(), strings.NewReader(stdin), &out, &errs)
	return status, out.String(), errs.String()
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := io.WriteString(w, text)
	must.Succeed(t, err)
	must.Succeed(t, w.Close())
	return out.String()
}

// inputs is store buffering in every format that check and convert read, by
// the name of the format.
func inputs(t *testing.T) (texts map[string]string, program string) {
	t.Helper()
	sb, err := axe.NewReader(strings.NewReader("0: M[x] := 1\n0: M[y] == 0\n1: M[y] := 1\n1: M[x] == 0\n"), "sb").Next()
	must.Succeed(t, err)
	texts = map[string]string{
		"events":      "ordeal-events 1\nexecution\nthreads 0\nvariables x\n0 begin\n0 read x\n0 end\n",
		"cobra":       strings.NewReplacer("1", "\x00\x00\x00\x00\x00\x00\x00\x01").Replace("S1W111C1"),
		"awdit":       "w 0 1\n---\n===\nw 1 1\n---\n",
		"porcupine":   `{"client":0, "input":{"op":"put","key":"x","value":7}, "call":10, "output":null, "return":25}` + "\n",
		"litmus7-log": "Test SB Allowed\nHistogram (1 states)\n7     :>0:rax=0; 1:rax=0;\nNo\n\nWitnesses\nPositive: 0, Negative: 7\nCondition exists (0:rax=1) is NOT validated\nHash=0123456789abcdef0123456789abcdef\nObservation SB Never 0 7\nTime SB 0.01\n",
		"herd7-log":   "Test SB Allowed\nStates 1\n0:rax=0; 1:rax=0;\nNo\nWitnesses\nPositive: 0 Negative: 1\nCondition exists (0:rax=1)\nObservation SB Never 0 1\nTime SB 0.00\nHash=0123456789abcdef0123456789abcdef\n",
	}
	p, log, err := formats.NewNative(sb.History)
	must.Succeed(t, err)
	program = string(p.Text())
	texts["native"], texts["program"] = string(log), program
	for _, f := range formats.Matching(nil) {
		var out bytes.Buffer
		if w, err := formats.NewWriter(f, &out); err == nil {
			must.Succeed(t, w.Write(sb.History))
			texts[f.Name] = out.String()
		}
	}
	return texts, program
}

// TestStatus gives check and convert the same faults in every format: check
// answers unknown with status 3, convert ends with 2, and the encoding of a
// file changes neither answer nor result.
func TestStatus(t *testing.T) {
	texts, program := inputs(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "in")
	programs := filepath.Join(dir, "program.txt")
	must.Succeed(t, os.WriteFile(programs, []byte(program), 0o644))
	const mark = "\xef\xbb\xbf"
	for _, f := range formats.Matching(nil) {
		if f.Name == "dbcop-bincode" {
			continue // no text: TestBincode truncates it at every byte
		}
		text, ok := texts[f.Name]
		if !ok {
			t.Errorf("no input in format %s", f.Name)
			continue
		}
		native := f.Name == "native"
		checked := slices.Contains(evaluate.ExecutionForms(), f.Name)
		to := map[formats.Holds]string{formats.Program: f.Name, formats.Results: "herd7-log", formats.Sequence: "events"}[f.Holds]
		if to == "" {
			to = "axe"
		}
		zipped := gzipped(t, text)
		var want [2]string
		for i, in := range []struct {
			name, text     string
			check, convert int
			malformed      bool
		}{
			{name: "as it is", text: text},
			{name: "gzip", text: zipped},
			{name: "mark", text: mark + text},
			{name: "gzip of a mark", text: gzipped(t, mark+text)},
			{name: "empty", malformed: true},
			{name: "mark alone", text: mark, malformed: true},
			{name: "gzip of nothing", text: gzipped(t, ""), malformed: true},
			{name: "blank lines", text: " \n\n", malformed: true},
			{name: "garbage", text: "what ( is this\n", malformed: true},
			{name: "a zero byte", text: "\x00", malformed: true},
			{name: "behind it", text: text + "\nwhat ( is this\n", malformed: true},
			{name: "gzip cut off", text: zipped[:len(zipped)-9], malformed: true},
			{name: "gzip of the wrong sum", text: zipped[:len(zipped)-8] + "01234567", malformed: true},
			{name: "UTF-16", text: "\xff\xfe0\x00", malformed: true},
		} {
			if in.name == "behind it" && f.Holds == formats.Results {
				continue // these are found among other output
			}
			if in.malformed {
				in.check, in.convert = summary.ExitUndecided, summary.ExitUsage
			}
			must.Succeed(t, os.WriteFile(path, []byte(in.text), 0o644))
			for k, args := range [][]string{
				{"check", "--model", "tso", "--format", f.Name, path},
				{"check", "--model", "tso", "--format", f.Name, "--program", programs, "-"},
				{"convert", "--lossy", "--from", f.Name, "--to", to, path},
				{"convert", "--lossy", "--from", f.Name, "--to", to, "--program", programs, "-"},
			} {
				isCheck, isFile := k < 2, k%2 == 0
				if isCheck && !checked || i > 0 && isFile != (i%2 == 0) { // each way for half of the inputs
					continue
				}
				if !native && !isFile {
					args = slices.DeleteFunc(args, func(a string) bool { return a == "--program" || a == programs })
				}
				if isCheck && f.Holds == formats.Sequence {
					args = append([]string{"check", "--serializability", "tso"}, args[3:]...)
				}
				stdin := ""
				if !isFile {
					stdin = in.text
				}
				status, stdout, stderr := ordeal(stdin, args...)
				wantStatus := in.convert
				if isCheck {
					wantStatus = in.check
				}
				if status != wantStatus {
					t.Errorf("%s, %s: %s ends with status %d, want %d\n%s%s", f.Name, in.name, strings.Join(args, " "), status, wantStatus, stdout, stderr)
					continue
				}
				stdout = strings.ReplaceAll(stdout, path, "FILE")
				stdout = strings.ReplaceAll(stdout, "standard input", "FILE")
				group := k / 2
				switch {
				case in.malformed && isCheck && !strings.Contains(stdout, "unknown"):
					t.Errorf("%s, %s: check prints %q", f.Name, in.name, stdout)
				case in.malformed && !isCheck && (stdout != "" || stderr == ""):
					t.Errorf("%s, %s: convert prints %q and %q", f.Name, in.name, stdout, stderr)
				case in.malformed:
				case want[group] == "":
					want[group] = stdout
				case stdout != want[group]:
					t.Errorf("%s, %s: %s prints\n%s, want\n%s", f.Name, in.name, strings.Join(args, " "), stdout, want[group])
				}
			}
		}
	}
}

// TestStatusEmpty has inputs in which nothing is wrong but that there is
// nothing to check.
func TestStatusEmpty(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name, text string
		args       []string
		status     int
		want       string
	}{
		{"comments", "# nothing\n", []string{"check", "-"}, 3, "unknown standard input:1: no operations"},
		{"an empty trace", "check\n", []string{"check", "-"}, 3, "unknown standard input:1: no operations"},
		{"an empty trace of two", "0: M[0] := 1\ncheck\n\ncheck\n", []string{"check", "-"}, 3, "standard input:4: unknown standard input:4: no operations"},
		{"only final memory", "final M[0] == 0\ncheck\n", []string{"check", "-"}, 3, "no operations"},
		{"JSON", "", []string{"check", "--json", "-"}, 3, `"error":"standard input:1: no operations`},
		{"serializability", "ordeal-events 1\nexecution\nthreads 0\nvariables x\n", []string{"check", "--serializability", "tso", "-"}, 3, "no operations"},
		{"a directory", "", []string{"check", dir}, 3, "is no run directory"},
		{"reduce", "", []string{"reduce", filepath.Join(dir, "empty")}, 2, "no operations"},
	} {
		must.Succeed(t, os.WriteFile(filepath.Join(dir, "empty"), nil, 0o644))
		status, stdout, stderr := ordeal(c.text, c.args...)
		if status != c.status || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%s: status %d, want %d with %q\n%s%s", c.name, status, c.status, c.want, stdout, stderr)
		}
	}
}

// TestClosedPipe has a reader that has gone away, as head does: commands end as they
// would with one, and say nothing of it.
func TestClosedPipe(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "sb.axe")
	must.Succeed(t, os.WriteFile(trace, []byte("0: M[x] := 1\n0: M[y] == 0\n1: M[y] := 1\n1: M[x] == 0\n"), 0o644))
	for _, c := range []struct {
		args   []string
		status int
	}{
		{[]string{"models"}, 0},
		{[]string{"gen", "--threads", "4", "--ops", "3000"}, 0},
		{[]string{"check", "--explain", "--model", "tso", trace}, 0},
		{[]string{"check", "--explain", "--model", "sc", trace}, summary.ExitFinding},
	} {
		reader, writer, err := os.Pipe()
		must.Succeed(t, err)
		must.Succeed(t, reader.Close())
		cmd := process(t, c.args...)
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = writer, &stderr
		cmd.Run()
		must.Succeed(t, writer.Close())
		if got := cmd.ProcessState.ExitCode(); got != c.status || strings.Contains(stderr.String(), "ordeal:") {
			t.Errorf("%s: status %d, want %d, and %q", strings.Join(c.args, " "), got, c.status, &stderr)
		}
	}
}
