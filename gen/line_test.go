package gen_test

import (
	"strings"
	"testing"

	"ordeal/gen"
)

// TestLine finds each operation at its line of the text, transactions included.
func TestLine(t *testing.T) {
	for _, transactions := range [][][]gen.Transaction{nil, {{{First: 0, End: 2}, {First: 2, End: 3}}, nil, {{First: 1, End: 2}}}} {
		p := sample()
		p.Transactions = transactions
		lines := strings.Split(p.String(), "\n")
		for thread, ops := range p.Threads {
			for i, op := range ops {
				if n := p.Line(gen.ThreadID(thread), i); lines[n-1] != p.OpText(op) {
					t.Errorf("operation %d of thread %d: line %d is %q, want %q in\n%s", i, thread, n, lines[n-1], p.OpText(op), p)
				}
			}
		}
	}
}
