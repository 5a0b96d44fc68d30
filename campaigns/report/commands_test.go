package report

import (
	"os/exec"
	"testing"
)

// TestQuoted requires words to come out of a shell as they are.
func TestQuoted(t *testing.T) {
	for _, word := range []string{"", "plain/word-1.yaml", "a b", "it's", "$HOME", "*", "a\nb", "`id`", "-n", "~", "ü", `\`, "#", "a;b", "=x"} {
		out, err := exec.Command("sh", "-c", "printf %s. "+Quoted(word)).Output()
		if err != nil || string(out) != word+"." {
			t.Errorf("%q is written %s, which a shell takes for %q (%v)", word, Quoted(word), out, err)
		}
	}
}
