package formats_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"ordeal/parse/formats"
	"ordeal/parse/formats/litmus7"
)

func TestDetect(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "axe"},
		{"# c\n\n0: M[0] := 1", "axe"},
		{"0: membar LL LS\n", "axe"},
		{"check\norder M[0]: 1", "axe"},
		{"ORDEAL1\n\x01", "native"},
		{"ordeal-events 1\ntrace\n", "events"},
		{"ordeal-program 1\n", "program"},
		{"X86_64 SB\n{}", "litmus"},
		{"w(0,1,0,0)\nw(0,2,0,0)\n", "plume"},
		{"w(0,1,0,0)\nw(0,2,0,-1)\n", "plume"},
		{"w(0,0,0,0)\n", "plume"},
		{"w(x,1,0,0)\n", "oplog"},
		{"w(0,1,0,1)\nw(0,2,0,0)\n", "plume"},
		{"w(0,1,0,0)\nw(0,2,0,1)\n", "oplog"},
		{"[x:=1]\n", "dbcop"},
		{"// c\n[x:=1]\n", "dbcop"},
		{"# c\n\n# d\n[x:=1]\n", "dbcop"},
		{"# c\r\nw(x,1,0,0)\r\n", "oplog"},
		{"# c\nw 1 2\n", "awdit"},
		{"#jepsen.history.Op{:process 0, :type :invoke}", "porcupine"},
		{"# c\n// d", "axe"},
		{"---\n", "dbcop"},
		{`{ "ClientId": 0}`, "porcupine"},
		{"{:process 0}", "porcupine"},
		{"INFO  jepsen.util - 0 :invoke", "porcupine"},
		{"[[]]", "dbcop-json"},
		{" [ ]", "dbcop-json"},
		{"{\"data\":[]}", "dbcop-json"},
		{"Mon Jan 5 10:00:00 UTC 1998\n%%%%\n% Results\nX86_64 SB\nTest SB Allowed\nHistogram (1 states)\n", "litmus7-log"},
		{"Test SB Allowed\nStates 1\n", "herd7-log"},
	} {
		if f, err := formats.Detect([]byte(c.text), true); err != nil || f.Name != c.want {
			t.Errorf("%q: %s, error %v, want %s", c.text, f.Name, err, c.want)
		}
	}
	// Of the beginning alone, both dialects may be meant.
	_, err := formats.Detect([]byte("w(0,1,0,0)\nw(0,2,0,1)\nw(0,"), false)
	if err == nil || err.Error() != "the format may be plume or oplog: name one with --format or --from" {
		t.Error(err)
	}
	if f, err := formats.Detect([]byte("w(0,1,0,0)\nw(0,2,0,0)\nw(0,"), false); err != nil || f.Name != "plume" {
		t.Error(f.Name, err)
	}
}

// fullLog is what litmus7 prints by default, of a run of two tests.
const fullLog = `Mon Jan  5 10:00:00 UTC 1998
%%%%%%%%%%%%%%%%%%%%%%%%%%%
% Results for LB.litmus   %
%%%%%%%%%%%%%%%%%%%%%%%%%%%
X86_64 LB
"PodRW Rfe PodRW Rfe"

{}

 P0            | P1            ;
 movq (x),%rax | movq (y),%rax ;
 movq $1,(y)   | movq $1,(x)   ;

exists (0:rax=1 /\ 1:rax=1)
Generated assembler
#START _litmus_P1
	movq (%r9),%rax
	movq $1,(%r8)

Test LB Allowed
Histogram (2 states)
60    :>0:rax=0; 1:rax=0;
40    :>0:rax=1; 1:rax=0;
No

Witnesses
Positive: 0, Negative: 100
Condition exists (0:rax=1 /\ 1:rax=1) is NOT validated
Hash=00112233445566778899aabbccddeeff
Cycle=Rfe PodRW Rfe PodRW
Observation LB Never 0 100
Time LB 0.02

%%%%%%%%%%%%%%%%%%%%%%%%%%%
% Results for CoRR.litmus %
%%%%%%%%%%%%%%%%%%%%%%%%%%%
Test CoRR Forbidden
Histogram (1 states)
100   :>1:rax=0; 1:rbx=0;
Ok

Witnesses
Positive: 100, Negative: 0
Condition ~exists (1:rax=1 /\ 1:rbx=0) is validated
Hash=ffeeddccbbaa99887766554433221100
Observation CoRR Never 0 100
Time CoRR 0.01

Machine:example
Revision exported, version 7.56
Command line: litmus7 -r 10 LB.litmus CoRR.litmus
Mon Jan  5 10:00:01 UTC 1998
`

// TestFullLog recognises a log as litmus7 prints it and reads its results.
func TestFullLog(t *testing.T) {
	for _, head := range []string{fullLog, strings.ReplaceAll(fullLog, "\n", "\r\n")} {
		if f, err := formats.Detect([]byte(head), true); err != nil || f.Name != "litmus7-log" {
			t.Errorf("taken for %q, error %v", f.Name, err)
		}
		results, err := litmus7.Parse("f", []byte(head))
		if err != nil || len(results) != 2 {
			t.Fatalf("%d results, error %v", len(results), err)
		}
		for i, want := range []litmus7.Result{
			{Test: "LB", Kind: litmus7.Allowed, Negative: 100, Time: 20 * time.Millisecond},
			{Test: "CoRR", Kind: litmus7.Forbidden, OK: true, Negative: 100, Time: 10 * time.Millisecond},
		} {
			got := results[i]
			if got.Test != want.Test || got.Kind != want.Kind || got.OK != want.OK || got.Positive != 0 || got.Negative != want.Negative ||
				got.Observation != litmus7.Never || got.Time != want.Time || len(got.States) != 2-i {
				t.Errorf("result %+v, want %+v", got, want)
			}
		}
	}
}

// What is of no format is not taken for one, and each format says what it misses: the
// texts are plain prose, a table, a configuration, source code, a test of an architecture that
// is not supported, and what begins as some format does and goes on otherwise.
func TestDetectNothing(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"nonsense", `axe: want ":" after the thread at the end of the line`},
		{"Mon Jan 5 10:00:00 UTC 1998\n", `axe: want ":" after the thread before "Jan 5 10:00:00 UTC 1"`},
		{"thread,op,value\n0,w,1\n", `plume, oplog: want "r(" or "w(" at the beginning`},
		{"[section]\nkey = 1\n", `dbcop: want ":=" or "==" before "]"`},
		{"// C\nint main() { return 0; }\n", `dbcop: want "[" before "int main() { return "`},
		{"PPC SB\n{}\n", "litmus: want X86_64, AArch64 or RISCV and a name in the first line"},
		{`{"name": "x"}`, `dbcop-json: want a key "data", "params", "info", "start" or "end" before "\"name\": \"x\"}"`},
		{"[1, 2]", `dbcop-json: want "[" before "1, 2]"`},
		{"Test SB Allowed\nStatistics\n", `litmus7-log: want "Histogram (N states)" behind "Test SB Allowed"`},
		{"Test SB Allowed\nStatistics\n", `herd7-log: want "States N" behind "Test SB Allowed"`},
		{"time: 10\n", `axe: want "M[" before "10"`},
		{"order of things\n", `axe: want "M[" before "of things"`},
		{"INFO server started\n", `porcupine: want {"client": …, {:process … or INFO … jepsen`},
	} {
		f, err := formats.Detect([]byte(c.text), true)
		var unrecognized *formats.UnrecognizedError
		if !errors.As(err, &unrecognized) {
			t.Errorf("%q: taken for %q, error %v", c.text, f.Name, err)
			continue
		}
		lines := strings.Split(err.Error(), "\n")
		if len(lines) != 15 || lines[0] != "format not recognised by any reader" || !slices.Contains(lines, c.want) {
			t.Errorf("%q: want %s among 14 formats in\n%v", c.text, c.want, err)
		}
	}
}
