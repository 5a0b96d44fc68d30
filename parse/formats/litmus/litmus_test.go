package litmus

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/gen"
)

const sb = `X86_64 SB+others
"Fre PodWR Fre PodWR"
Cycle=Fre PodWR
{
 uint64_t y; uint64_t x = 7; (* the type is
 of no interest *)
 1:rdi=x; 1:r9=3;
}
 P0            | P1               ;
 movl $1,(x)   | movq $0x5,%rax   ;
 movl (y),%eax | movq %rax,(y)    ;
 mfence        | movl (%rdi),%ebx ;
               | xchgl %r9d,(y)   ;
               | movq %rbx,%rcx   ;

locations [x; 1:rbx;]
exists (0:rax=0 /\ ~(1:rcx=1 \/ [y]=5))
`

// TestParse reads a test that has most of what tests have.
func TestParse(t *testing.T) {
	test, err := Parse("sb", []byte(sb))
	if err != nil {
		t.Fatal(err)
	}
	want := "ordeal-program 1\nlayout spread\nlocations y x\nthread 0\nstore x 1\nload y\nfence\nthread 1\nstore y 2\nload x\nexchange y 3\n"
	if got := strings.TrimSpace(string(test.Program.Text())); got != strings.TrimSpace(want) {
		t.Errorf("program\n%s\nwant\n%s", got, want)
	}
	if diff := cmp.Diff([]any{"SB+others", Exists, true}, []any{test.Name, test.Quantifier, test.NeedsFinal}); diff != "" {
		t.Errorf("name, quantifier and need of final values (-want +got):\n%s", diff)
	}
	for _, row := range []struct {
		reads [][]gen.Value
		final []gen.Value
		text  string
		holds bool
	}{
		// Thread 0 reads the initial y, thread 1 the initial x and its own y.
		{[][]gen.Value{{0}, {0, 2}}, []gen.Value{3, 1}, "0:rax=0; 1:rbx=7; 1:rcx=7; [x]=1; [y]=3;", true},
		{[][]gen.Value{{2}, {0, 2}}, []gen.Value{3, 1}, "0:rax=5; 1:rbx=7; 1:rcx=7; [x]=1; [y]=3;", false},
		{[][]gen.Value{{0}, {1, 2}}, []gen.Value{3, 1}, "0:rax=0; 1:rbx=1; 1:rcx=1; [x]=1; [y]=3;", false},
		{[][]gen.Value{{0}, {0, 2}}, []gen.Value{2, 1}, "0:rax=0; 1:rbx=7; 1:rcx=7; [x]=1; [y]=5;", false},
	} {
		s := test.State(row.reads, row.final)
		if s.String() != row.text || s.Holds() != row.holds {
			t.Errorf("state %s holds %v, want %s %v", s, s.Holds(), row.text, row.holds)
		}
	}
}

// TestConditions evaluates propositions over one state.
func TestConditions(t *testing.T) {
	for text, want := range map[string]bool{
		"x=1":                          true,
		"[x]=0x1":                      true,
		"x=2":                          false,
		"~x=2":                         true,
		`x=1 \/ x=2 /\ x=3`:            true, // and binds tighter
		`(x=1 \/ x=2) /\ x=3`:          false,
		`~(x=1 /\ 0:rax=4)`:            false,
		`0:EAX=4 /\ P0:rax=4`:          true,
		"true":                         true,
		`~true \/ (true /\ ~(~(x=1)))`: true,
	} {
		test, err := Parse("t", []byte("X86_64 t\n{}\n P0 ;\n movl $1,(x) ;\n movl $4,%eax ;\nforall ("+text+")\n"))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := test.State([][]gen.Value{nil}, []gen.Value{1}).Holds(); got != want {
			t.Errorf("%s is %v", text, got)
		}
		again, err := x86.proposition(test.Condition.String(), test)
		if err != nil || again.String() != test.Condition.String() {
			t.Errorf("%s is written as %s (%v)", text, test.Condition, err)
		}
	}
}

// TestFaults requires each fault named with its line.
func TestFaults(t *testing.T) {
	test := func(code, condition string) string {
		return "X86_64 t\n{ x=0; 0:rdi=x; }\n P0 | P1 ;\n" + code + "\n" + condition + "\n"
	}
	for text, want := range map[string]string{
		"":                                                            "t:1: want the architecture",
		"ARM t\n{}\n P0 ;\n":                                          "t:1: architecture ARM is not supported",
		"X86_64 t\n P0 ;\n":                                           "want the initial state",
		"X86_64 t\n{ x=0;\n P0 ;\n":                                   "not closed",
		"X86_64 t\n{ int a b = 1; }\n":                                "t:2: cannot read",
		"X86_64 t\n{ (* }\n P0 ;\n":                                   "comment is not closed",
		"X86_64 t\n{}\n P1 ;\n":                                       `t:3: column "P1", want P0`,
		"X86_64 t\n{}\nexists (x=1)\n":                                "want the threads",
		"X86_64 t\n{}\n P0 ;\n ud2 ;\n":                               `t:4: thread 0: instruction "ud2": ud2 is not supported`,
		test(" movl $1,(x) ;", ""):                                    "t:4: 1 columns, want 2",
		test(" addl $1,(x) | ;", ""):                                  `instruction "addl $1,(x)": addl is not supported`,
		test(" lock xaddl %eax,(x) | ;", ""):                          "not supported",
		test(" movb $1,(x) | ;", ""):                                  "not supported",
		test(" movl $1,(%rsi) | ;", ""):                               "holds no address",
		test(" movl (x),(y) | ;", ""):                                 "two operands in memory",
		test(" movl (x),$1 | ;", ""):                                  "no destination",
		test(" movl (x) | ;", ""):                                     "two operands",
		test(" xchgl $1,(x) | ;", ""):                                 "want a register and a location",
		test(" movl $1,x(%rax) | ;", ""):                              "not supported",
		test(" movl $1,(x) | ;", "exists (0:rax=0"):                   "t:5: parenthesis is not closed",
		test(" movl $1,(x) | ;", "exists (0:zax=0)"):                  "no register",
		test(" movl $1,(x) | ;", "exists (q=0)"):                      "t:5: the test has no location q",
		test(" movl $1,(x) | ;", "exists (7:rax=0)"):                  "no thread 7",
		test(" movl $1,(x) | ;", `exists (x=1 /\ )`):                  "",
		test(" movl $1,(x) | ;", "exists (x)"):                        "want VARIABLE=VALUE",
		test(" movl $1,(x) | ;", "exists (x=y)"):                      "no constant",
		test(" movl $1,(x) | ;", "always (x=1)"):                      "want exists, ~exists or forall",
		test(" movl $1,(x) | ;", "locations x"):                       "want locations in brackets",
		test(" movl $1,(x) | ;", "exists "+strings.Repeat("(", 1000)): "nested too deep",
	} {
		_, err := Parse("t", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error is %v, want %q", text, err, want)
		} else if !strings.HasPrefix(err.Error(), "t:") {
			t.Errorf("%q: error %v does not begin with the name of the file", text, err)
		}
	}
}

// FuzzParse requires an error or a valid program, and never a panic.
func FuzzParse(f *testing.F) {
	f.Add([]byte(sb))
	f.Add([]byte(armTest))
	f.Add([]byte(riscvTest))
	f.Add([]byte("X86_64 t\n{}\n P0 ;\n xchg %rax,(x) ;\n~exists (x=1 \\/ ~(0:rax=0))\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		test, err := Parse("f", data)
		if err != nil {
			return
		}
		if err := test.Program.Validate(); err != nil {
			t.Fatal(err)
		}
		reads := make([][]gen.Value, len(test.Program.Threads))
		for i := range reads {
			reads[i] = make([]gen.Value, test.Program.Reads(gen.ThreadID(i)))
		}
		s := test.State(reads, make([]gen.Value, len(test.Program.Locations)))
		s.Holds()
		_ = s.String()
	})
}
