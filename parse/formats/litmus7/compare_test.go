package litmus7

import (
	"fmt"
	"strings"
	"testing"
)

// What mcompare prints of a log of a machine and one of a model: without an option differences
// from the first one, and all states with -show s.
const diffs = `*Diffs*
   |Kind | model.log           x86.log
---------------------------------------------------
MP |Allow| [1:EAX=0; 1:EBX=0;] -[1:EAX=1; 1:EBX=1;]
   |No   | [1:EAX=1; 1:EBX=1;] +[1:EAX=1; 1:EBX=0;]
---------------------------------------------------
SB |Allow| [0:EAX=0; 1:EAX=1;] ==
   |Ok   | [0:EAX=0; 1:EAX=0;]

!!! Warning positive differences in: +MP
`

const outcomes = `*Outcomes*
     | x86.log                       model.log
---------------------------------------------------------
SB+l | nstates=2, nouts=0.00M        [0:EAX=0; [x]=-1;]
     | [0:EAX=0; [x]=-1;]<12>
     | [0:EAX=1; [x]=2;]<88>
---------------------------------------------------------
MP   | nstates=1, nouts=0.00M
     | [0:EAX=0; [x]=0;]<100>

`

func TestTables(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{diffs, "MP model.log 1:EAX=0; 1:EBX=0; ×1 1:EAX=1; 1:EBX=1; ×1|MP x86.log 1:EAX=0; 1:EBX=0; ×1 1:EAX=1; 1:EBX=0; ×1|" +
			"SB model.log 0:EAX=0; 1:EAX=1; ×1 0:EAX=0; 1:EAX=0; ×1|SB x86.log 0:EAX=0; 1:EAX=1; ×1 0:EAX=0; 1:EAX=0; ×1"},
		{outcomes, "SB+l x86.log 0:EAX=0; [x]=-1; ×12 0:EAX=1; [x]=2; ×88|SB+l model.log 0:EAX=0; [x]=-1; ×1|MP x86.log 0:EAX=0; [x]=0; ×100"},
		{strings.ReplaceAll(outcomes, "\n", "\r\n"), "SB+l x86.log 0:EAX=0; [x]=-1; ×12 0:EAX=1; [x]=2; ×88|SB+l model.log 0:EAX=0; [x]=-1; ×1|MP x86.log 0:EAX=0; [x]=0; ×100"},
	} {
		if err := Litmus7.Missed([]byte(c.text)); err != nil {
			t.Error(err)
		}
		results, err := Parse("f", []byte(c.text))
		if err != nil {
			t.Error(err)
		}
		var got []string
		for _, r := range results {
			text := r.Test + " " + r.Log
			for i := range r.States {
				text += fmt.Sprintf(" %s ×%d", &r.States[i], r.States[i].Count)
			}
			got = append(got, text)
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.ReplaceAll(c.want, "|", "\n"))
		}
	}
	for _, c := range []struct{ text, want string }{
		{"*Validation*\n   |Kind | a.log\n---\nMP |Allow| Ok\n", "parse f:1: the table *Validation* has no states: want that of mcompare -show s, or of no option"},
		{"*Diffs*\n", "parse f:1: \"*Diffs*\" where the names of logs are expected"},
		{"*Diffs*\n |\n---\n", "parse f:2: want names of logs behind |"},
		{"*Diffs*\n   |Kind | a.log\n---\nMP |Allow| [x=1\n", "parse f:4: test MP of a.log: \"[x=1\" where a state [NAME=VALUE;] is expected"},
		{"*Outcomes*\n   | a.log\n---\nMP | [x=1]\n", "parse f:4: test MP of a.log: \"x=1\": want NAME=VALUE;"},
		{"*Outcomes*\n   | a.log\n---\nMP | [x=1;]<99999999999999999999>\n", "parse f:4: test MP of a.log: \"99999999999999999999\" is no count"},
		{outcomes + "Test SB Allowed\n", "parse f:11: \"Test SB Allowed\" where a table of mcompare is expected"},
	} {
		if _, err := Parse("f", []byte(c.text)); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

// klitmus has two tests as run.sh of klitmus7 prints them.
const klitmus = `Fri Aug 18 16:37:43 CEST 2017
Compilation command: klitmus7 -o X.tar SB+onces.litmus MP+onces.litmus
OPT=
uname -r=3.13.0-108-generic

Test SB+onces Allowed
Histogram (2 states)
184992  *>0:r0=0; 1:r0=0;
47031   :>0:r0=1; 1:r0=1;
Ok

Witnesses
Positive: 184992, Negative: 47031
Condition exists (0:r0=0 /\ 1:r0=0) is validated
Hash=2487db0f8d32aeb7ec0eacf5d0e301d7
Observation SB+onces Sometimes 184992 47031
Time SB+onces 0.18

Test MP+onces Allowed
Histogram (1 states)
12      :>1:r0=0; 1:r1=0;
No

Witnesses
Positive: 0, Negative: 12
Condition exists (1:r0=1 /\ 1:r1=0) is NOT validated
Hash=00112233445566778899aabbccddeeff
Observation MP+onces Never 0 12
Time MP+onces 0.00

Fri Aug 18 16:37:44 CEST 2017
`

// TestKernelLog: klitmus7's output as it prints it, and with what the kernel's log has before
// its lines.
func TestKernelLog(t *testing.T) {
	for _, before := range []string{"", "[  123.456789] ", "<6>[98765.000001] ", "[    0.000000,3] ", "Aug 18 16:37:43 host kernel: [  12.345678] "} {
		text := ""
		for line := range strings.Lines(klitmus) {
			text += before + line
		}
		if err := Litmus7.Missed([]byte(text)); err != nil {
			t.Errorf("%q: %v", before, err)
		}
		results, err := Parse("f", []byte(text))
		if err != nil || len(results) != 2 || results[0].Test != "SB+onces" || len(results[0].States) != 2 || results[1].Observation != Never {
			t.Errorf("%q: %+v, %v", before, results, err)
		}
	}
}
