package gen_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/gen"
)

const transactionText = `ordeal-program 1
layout spread
locations x y
thread 0
load y
begin
store x 1
load y
fence
end
begin
store y 2
end
thread 1
load x
`

func TestTransactions(t *testing.T) {
	p, err := gen.Parse("a", []byte(transactionText))
	if err != nil {
		t.Fatal(err)
	}
	want := [][]gen.Transaction{{{First: 1, End: 4}, {First: 4, End: 5}}}
	if diff := cmp.Diff(want, p.Transactions); diff != "" {
		t.Errorf("transactions (-want +got):\n%s", diff)
	}
	if got := p.String(); got != transactionText {
		t.Errorf("text:\n%s", got)
	}
	if got := p.TransactionsOf(1); got != nil {
		t.Errorf("thread 1 has %v", got)
	}
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
}

func TestTransactionFaults(t *testing.T) {
	head := "ordeal-program 1\nlayout spread\nlocations x\nthread 0\n"
	for _, c := range []struct{ text, want string }{
		{"end\n", "parse f:5: end of a transaction that has not begun"},
		{"begin\nend\n", "parse f:6: the transaction has no operation"},
		{"begin\nload x\nbegin\nload x\nend\n", "parse f:7: the transaction of line 5 has no end"},
		{"begin\nload x\nthread 1\n", "parse f:7: the transaction of line 5 has no end"},
		{"begin\nload x\n", "parse f:6: the transaction of line 5 has no end"},
		{"begin 1\nload x\n", "parse f:5: begin takes no words after it"},
	} {
		if _, err := gen.Parse("f", []byte(head+c.text)); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v: want %s", c.text, err, c.want)
		}
	}
	for name, list := range map[string][][]gen.Transaction{
		"threads":  {nil, nil, nil},
		"empty":    {{{First: 1, End: 1}}},
		"overlap":  {{{First: 0, End: 2}, {First: 1, End: 3}}},
		"too long": {{{First: 0, End: 6}}},
		"negative": {{{First: -1, End: 2}}},
	} {
		p, err := gen.Parse("a", []byte(transactionText))
		if err != nil {
			t.Fatal(err)
		}
		p.Transactions = list
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), "transaction") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRandomTransactions: transactions change nothing else about a program,
// cover it, and end with fences on request.
func TestRandomTransactions(t *testing.T) {
	o := gen.Defaults()
	o.Layout = gen.Spread
	random := func(o gen.Options) *gen.Program {
		p, err := gen.Random(rand.New(rand.NewPCG(1, 0)), o)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	plain := random(o)
	o.Transaction = 5
	grouped := random(o)
	if diff := cmp.Diff(plain.Threads, grouped.Threads); diff != "" {
		t.Errorf("operations (-without +with transactions):\n%s", diff)
	}
	o.FenceTransactions = true
	fenced := random(o)
	for _, p := range []*gen.Program{grouped, fenced} {
		again, err := gen.Parse("again", p.Text())
		if err != nil {
			t.Fatal(err)
		}
		if again.String() != p.String() || !slices.EqualFunc(again.Transactions, p.Transactions, slices.Equal) {
			t.Error("the text does not read back")
		}
		for thread, ops := range p.Threads {
			end := int32(0)
			for _, tx := range p.Transactions[thread] {
				if tx.First != end || tx.End-tx.First > 6 {
					t.Fatalf("transaction %v after %d", tx, end)
				}
				end = tx.End
				if p == fenced && ops[end-1].Kind != gen.FullFence {
					t.Fatalf("transaction %v is not fenced", tx)
				}
			}
			if int(end) != len(ops) {
				t.Fatalf("transactions end at %d of %d", end, len(ops))
			}
		}
	}
	o.Transaction = 0
	if err := o.Validate(); err == nil || !strings.Contains(err.Error(), "--fence-transactions") {
		t.Errorf("fences without transactions: %v", err)
	}
	o.Transaction, o.FenceTransactions = -1, false
	if err := o.Validate(); err == nil || !strings.Contains(err.Error(), "--transaction -1") {
		t.Errorf("negative length: %v", err)
	}
}
