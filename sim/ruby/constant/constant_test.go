package constant

import (
	"strings"
	"testing"
)

func values(name string) (int64, bool) {
	v, ok := map[string]int64{"n": 12, "shift": 3, "yes": 1, "no": 0}[name]
	return v, ok
}

// Texts of gem5's protocols, and others, with what a C++ compiler makes of them.
func TestEvaluate(t *testing.T) {
	for text, want := range map[string]int64{
		"7": 7, "-1": -1, " ( 8 ) ": 8, "Cycles(500)": 500, "max_tokens()": 1024,
		"(Cycles(500) << (*m_shift_ptr))": 4000, "RubySystem::getBlockSizeBytes()": 64,
		"m_n": 12, "*m_n_ptr + 1": 13, "log2(m_n)": 3, "log2(1)": 0, "2+2*3-1": 7, "1 << 2 + 1": 8, "64 >> m_shift": 8,
		"m_yes ? m_n : 5": 12, "m_no ? m_n : m_no ? 1 : 6": 6, "2 * *m_shift_ptr": 6, "8 - 3 - 2": 3,
	} {
		if got, err := Evaluate(text, values); err != nil || got != want {
			t.Errorf("%s: %d, %v; want %d", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "missing", "2+": "missing", "(2": `")" is missing`, "2)": `")" is not understood`, "m_other": `"other"`, "*m_n": "no object",
		"getenv(1)": "not known", "1 ? 2": `":" is missing`, "2 3": "not understood", "99999999999999999999": "missing",
		strings.Repeat("(", 100): "more than", "max_tokens(1)": "missing", "n": "missing",
	} {
		if got, err := Evaluate(text, values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %d, error %v, want %q", text, got, err, want)
		}
	}
}

// FuzzEvaluate requires that no text makes it fail otherwise than with an error,
// and that a text in parentheses means the same.
func FuzzEvaluate(f *testing.F) {
	for _, text := range []string{"7", "(Cycles(500) << (*m_shift_ptr))", "m_no ? -m_n : 5", "log2(max_tokens())*2+1>>1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Evaluate(text, values)
		if err != nil {
			return
		}
		if again, err := Evaluate("("+text+")", values); err != nil && !strings.Contains(err.Error(), "parentheses") || err == nil && again != v {
			t.Errorf("%s is %d, in parentheses %d, %v", text, v, again, err)
		}
	})
}
