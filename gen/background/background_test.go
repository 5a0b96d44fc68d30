package background_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/gen"
	"ordeal/gen/background"
	"ordeal/gen/wire"
)

// memory is one without buffers.
type memory struct {
	words map[int64]gen.Value
	reads [][]gen.Value
}

func (m *memory) do(p *gen.Program, t, i, round int) {
	op := p.Threads[t][i]
	at := p.Offset(op.Loc)
	before, stored := m.words[at], gen.Value(round)*p.Stride()+op.Value
	if op.Kind.Reads() {
		m.reads[t] = append(m.reads[t], before)
	}
	switch op.Kind {
	case gen.Store, gen.Exchange:
		m.words[at] = stored
	case gen.FetchAdd:
		m.words[at] = before + op.Value*gen.AddUnit
	}
}

func (m *memory) log(p *gen.Program, rounds int) []byte {
	w := wire.NewWriter(p, rounds)
	var log []byte
	for t, values := range m.reads {
		log = w.AppendThread(log, gen.ThreadID(t), values)
	}
	final := make([]gen.Value, len(p.Locations))
	for l := range final {
		final[l] = m.words[p.Offset(gen.LocID(l))]
	}
	return w.AppendFinal(log, final)
}

// TestLog executes programs with their backgrounds in an order drawn at random,
// and beside them the programs alone in the same order: the log of the former
// without the background is that of the latter.
func TestLog(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 3))
		o := gen.Defaults()
		o.Threads, o.Ops, o.Locations = 1+rng.IntN(4), 1+rng.IntN(8), 1+rng.IntN(9)
		o.Layout = gen.Layouts()[seed%4]
		p, err := gen.Random(rng, o)
		if err != nil {
			t.Fatal(err)
		}
		lead := int(seed % 4)
		s, err := background.Around(p, background.Options{Length: 1 + rng.IntN(20), Lead: lead, Threads: rng.IntN(7), Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		const rounds = 3
		all := lead + rounds
		whole, alone := memory{words: map[int64]gen.Value{}, reads: make([][]gen.Value, len(s.Program.Threads))},
			memory{words: map[int64]gen.Value{}, reads: make([][]gen.Value, len(p.Threads))}
		next := make([]int, len(s.Program.Threads))
		for left := all * s.Program.Ops(); left > 0; {
			thread := rng.IntN(len(next))
			ops := s.Program.Threads[thread]
			if next[thread] == all*len(ops) {
				continue
			}
			i, round := next[thread]%len(ops), next[thread]/len(ops)
			if late := thread < len(p.Threads) && slices.Contains(s.Late()[thread], i); late && round < lead {
				if ops[i].Kind.Reads() { // whatever its register holds
					whole.reads[thread] = append(whole.reads[thread], gen.Value(rng.Uint64N(50)))
				}
			} else {
				whole.do(s.Program, thread, i, round)
			}
			if n, ok := s.Number(gen.ThreadID(thread), next[thread]); ok {
				alone.do(p, thread, n%len(p.Threads[thread]), n/len(p.Threads[thread]))
			}
			next[thread]++
			left--
		}
		if got, want := s.Log(whole.log(s.Program, all), rounds), alone.log(p, rounds); string(got) != string(want) {
			t.Fatalf("seed %d: the log without the background is not that of the program alone:\n%s", seed, p.Text())
		}
		again, err := background.Around(p, background.Options{Length: 1, Threads: 0, Seed: seed})
		if err != nil || len(again.Program.Threads) != len(p.Threads) {
			t.Fatalf("seed %d: %d threads around %d, error %v", seed, len(again.Program.Threads), len(p.Threads), err)
		}
	}
}

// TestForeignValue keeps values wrong that the program did not write where they
// were read.
func TestForeignValue(t *testing.T) {
	p := mustParse(t, "ordeal-program 1\nlayout spread\nlocations x\nthread 0\nstore x 1\nload x\n")
	s, err := background.Around(p, background.Options{Length: 8, Threads: 4, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	const rounds = 5
	from, to := s.Program.Stride(), p.Stride()
	for round := range gen.Value(rounds) {
		for constant := range from {
			v := s.Value(round*from+constant, rounds)
			if own := round*to + constant; constant < to && v != own || constant >= to && v < rounds*to {
				t.Fatalf("value %d of round %d becomes %d", constant, round, v)
			}
		}
	}
}

// TestDamagedLog keeps what is no frame, and drops one that is cut short.
func TestDamagedLog(t *testing.T) {
	p := mustParse(t, "ordeal-program 1\nlayout spread\nlocations x\nthread 0\nstore x 1\nload x\n")
	s, err := background.Around(p, background.Options{Length: 4, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	m := memory{words: map[int64]gen.Value{}, reads: make([][]gen.Value, len(s.Program.Threads))}
	for i := range s.Program.Threads[0] {
		m.do(s.Program, 0, i, 0)
	}
	log := m.log(s.Program, 1)
	if got := s.Log(log[:wire.HeaderBytes-1], 1); len(got) != 0 {
		t.Errorf("a torn header becomes %d bytes", len(got))
	}
	broken := append([]byte(nil), log...)
	broken[wire.HeaderBytes] ^= 1
	if got := s.Log(broken, 1); string(got) != string(broken) {
		t.Error("a damaged frame does not stay")
	}
}

func mustParse(t *testing.T, text string) *gen.Program {
	t.Helper()
	p, err := gen.Parse("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}
