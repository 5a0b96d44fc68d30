package litmus

import (
	"strings"
	"testing"

	"ordeal/parse/formats/litmus7"
)

// exampleLog is a log in which sc forbids a state, tso another one, and a test has no source.
const exampleLog = `Mon Jan  5 10:00:00 UTC 1998
%%%%%%%%%%%%%%%%%%%%%%%%%%%
% Results for SB.litmus   %
%%%%%%%%%%%%%%%%%%%%%%%%%%%
X86_64 SB
"Cycle"
{}
 P0          | P1          ;
 movl $1,(x) | movl $1,(y) ;
 movl (y),%eax | movl (x),%eax ;
exists (0:rax=0 /\ 1:rax=0)
Generated assembler
#START _litmus_P0
	movl $1,(%rdx)

Test SB Allowed
Histogram (3 states)
5     *>0:rax=0; 1:rax=0;
4     :>0:rax=0; 1:rax=1;
1     :>0:rax=2; 1:rax=1;
Ok

Witnesses
Positive: 5, Negative: 5
Condition exists (0:rax=0 /\ 1:rax=0) is validated
Hash=0
Observation SB Sometimes 5 5
Time SB 0.01

Test old Allow
Histogram (1 states)
9     :> x=1;
No
Witnesses
Positive: 0 Negative: 9
Condition exists (x=2) is not validated
Time old 0.50
`

func TestEvaluate(t *testing.T) {
	results, err := litmus7.Parse("f", []byte(exampleLog))
	if err != nil || len(results) != 2 {
		t.Fatal(err, len(results))
	}
	tests := LogTests("f", []byte(exampleLog))
	if len(tests) != 1 || tests[0].Name != "SB" {
		t.Fatalf("%d tests", len(tests))
	}
	// 2 is written by no thread: no model allows it; 0 and 0 is what store buffers show.
	want := map[string]string{"sc": "0:rax=0; 1:rax=0; 0:rax=2; 1:rax=1;", "tso": "0:rax=2; 1:rax=1;"}
	for _, j := range Evaluate(&results[0], tests[0], nil) {
		var states []string
		for i := range j.Forbidden {
			states = append(states, j.Forbidden[i].String())
		}
		if got := strings.Join(states, " "); got != want[j.Model] {
			t.Errorf("%s forbids %s, want %s", j.Model, got, want[j.Model])
		}
	}
	if list := Evaluate(&results[1], nil, nil); len(list) != 1 || list[0].Unknown == "" {
		t.Errorf("without a source: %v", list)
	}
}
