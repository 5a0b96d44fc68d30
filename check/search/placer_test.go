package search

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/check/internal/brute"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/parse"
)

// sound checks what a placer keeps against what follows from its order alone.
func sound(t testing.TB, p *placer) {
	t.Helper()
	g := p.g
	m := newMachine(g)
	s := m.at(p.seq)
	if !slices.Equal(s.placed, p.placed) {
		t.Fatalf("placed %v, want %v", p.placed, s.placed)
	}
	for x, c := range p.current {
		if c != s.current[x] {
			t.Fatalf("location %d holds %d, want %d", x, c, s.current[x])
		}
	}
	for at, v := range p.seq {
		if p.at[v] != int32(at) {
			t.Fatalf("node %d is said to be at %d, not %d", v, p.at[v], at)
		}
		if g.IsWrite(v) && p.overwritten[v] != m.at(p.seq[:at]).current[g.Loc(v)] {
			t.Fatalf("node %d at %d is said to overwrite %d", v, at, p.overwritten[v])
		}
	}
	pending := make([]int32, len(p.pending))
	for v := range saturate.Node(g.Nodes()) {
		wait := int32(0)
		for _, u := range m.preds[v] {
			if !s.placed[u] {
				wait++
			}
		}
		if !s.placed[v] && p.wait[v] != wait {
			t.Fatalf("node %d waits for %d, want %d", v, p.wait[v], wait)
		}
		for _, w := range g.Returned(v) {
			if !s.placed[v] {
				pending[w]++
			}
		}
	}
	if !slices.Equal(pending, p.pending) {
		t.Fatalf("pending %v, want %v", p.pending, pending)
	}
	for c, head := range p.heads {
		want := g.First(int32(c))
		for want != g.End() && s.placed[want] {
			want = g.After(want)
		}
		if head != want {
			t.Fatalf("head of chain %d is %d, want %d", c, head, want)
		}
	}
}

// dependent checks that a decision v was taken back from an order with what depends on it,
// and nothing else.
func dependent(t testing.TB, p *placer, mc *machine, old []saturate.Node, v saturate.Node) {
	t.Helper()
	left, taken := p.seq, []saturate.Node(nil)
	for _, u := range old {
		if len(left) > 0 && left[0] == u {
			left = left[1:]
		} else {
			taken = append(taken, u)
		}
	}
	if len(left) > 0 || !slices.Contains(taken, v) {
		t.Fatalf("%v without %d is not %v", old, v, p.seq)
	}
	for i, u := range p.seq {
		if !slices.Contains(mc.moves(mc.at(p.seq[:i])), u) {
			t.Fatalf("%v without %d is %v, where %d is not legal", old, v, p.seq, u)
		}
	}
	for _, u := range mc.moves(mc.at(p.seq)) {
		if u != v && slices.Contains(taken, u) {
			t.Fatalf("%v without %d is %v, where %d could stay", old, v, p.seq, u)
		}
	}
}

// replayed is a placer that has made these moves. Its graph need not be
// saturated.
func replayed(g *saturate.Graph, seq []saturate.Node) *placer {
	p := newPlacer(g)
	p.choices.key = func(v saturate.Node) int32 { return int32(v) }
	for _, v := range seq {
		p.place(v)
	}
	return p
}

// eachState calls f for every state that legal moves reach, with a way to it.
func (m *machine) eachState(f func(s state, seq []saturate.Node)) {
	seen := map[string]bool{}
	var visit func(s state, seq []saturate.Node)
	visit = func(s state, seq []saturate.Node) {
		if k := s.key(); seen[k] {
			return
		} else {
			seen[k] = true
		}
		f(s, seq)
		for _, v := range m.moves(s) {
			visit(m.after(s, v), append(seq[:len(seq):len(seq)], v))
		}
	}
	visit(m.start(), nil)
}

// Safe moves never lose a completion, in any state of any small history, and
// settle leaves none unmade: what is still possible are decisions. Placing
// everything is possible just if the model allows the history. All that needs
// no saturation, and graphs without it have many more states that lead nowhere.
func TestSafeMoves(t *testing.T) {
	states, moved, lost := 0, 0, 0
	check := func(h *parse.History) {
		for _, m := range totals {
			if graphOf(t, h, m) == nil {
				continue
			}
			g := unsaturated(t, h, m)
			mc := newMachine(g)
			if got, want := mc.completable(mc.start()), brute.Allowed(h, m); got != want {
				t.Fatalf("%s: completable: %v, brute force says %v\n%s", m.Name, got, want, text(h))
			}
			mc.eachState(func(s state, seq []saturate.Node) {
				states++
				p := replayed(g, seq)
				p.settle()
				if len(p.seq) > len(seq) {
					moved++
				}
				after := mc.at(seq)
				for _, v := range p.seq[len(seq):] {
					if !mc.legal(after, v) {
						t.Fatalf("%s: after %v the move %d of %v is not legal\n%s", m.Name, seq, v, p.seq, text(h))
					}
					after = mc.after(after, v)
				}
				before := mc.completable(s)
				if !before {
					lost++
				}
				if before && !mc.completable(after) {
					t.Fatalf("%s: the safe moves %v after %v lose every completion\n%s", m.Name, p.seq[len(seq):], seq, text(h))
				}
				sound(t, p)
				for _, v := range mc.moves(after) {
					if !g.IsWrite(v) || g.IsRead(v) {
						t.Fatalf("%s: after %v node %d, which is no plain write, could be placed safely\n%s", m.Name, p.seq, v, text(h))
					}
					if p.pending[v] == 0 {
						t.Fatalf("%s: after %v write %d, with no pending reads, could be placed safely\n%s", m.Name, p.seq, v, text(h))
					}
					if !slices.Contains(p.choices.nodes, v) {
						t.Fatalf("%s: after %v node %d is no choice\n%s", m.Name, p.seq, v, text(h))
					}
				}
			})
		}
	}
	for seed := range many(1500) {
		check(draw(rand.New(rand.NewPCG(seed, 61)), 4, 9))
	}
	for seed := range many(500) {
		check(drawFenced(rand.New(rand.NewPCG(seed, 66)), 6, 11))
	}
	for h := range histgen.Every(int(many(40))+57, histgen.All(histgen.Bound{Threads: 3, Locations: 2, Ops: 4, Exact: true, RMW: true})) {
		check(h)
	}
	t.Logf("%d states, in %d of them safe moves, %d not completable", states, moved, lost)
	if moved == 0 || lost < 100 {
		t.Error("nothing tested")
	}
}

// Decisions in any order come to an end only where no move is left, unless looking
// ahead refuses those. Taking
// placements back leaves a placer as if they had never been made, and the
// latest decision of a dead end is one after which no completion is left. What
// dead ends teach leads to an order.
func TestBackFromDeadEnds(t *testing.T) {
	dead, learned, spared := 0, 0, 0
	drive := func(h *parse.History, seed uint64, saturated bool) {
		rng := rand.New(rand.NewPCG(seed, 62))
		for _, m := range totals {
			g := unsaturated(t, h, m)
			if saturated {
				g = graphOf(t, h, m)
			}
			if g == nil || g.Contradictory() {
				continue
			}
			p := newPlacer(g)
			if !saturated && seed%3 == 0 {
				p = foreseen(g, nil)
			}
			key := rng.Perm(g.Nodes())
			p.choices.key = func(v saturate.Node) int32 { return int32(key[v]) }
			place := func() {
				for p.settle(); p.choices.Len() > 0; p.settle() {
					v := p.choices.Pop()
					switch x := g.Loc(v); {
					case p.placed[v] || p.wait[v] > 0:
					case !p.writable(v):
						p.blocked[x] = append(p.blocked[x], v)
					default:
						p.commit(v)
					}
				}
			}
			place()
			sound(t, p)
			mc := newMachine(g)
			if moves := mc.moves(mc.at(p.seq)); len(moves) > 0 && p.due == nil {
				t.Fatalf("seed %d %s: after %v the moves %v are forgotten\n%s", seed, m.Name, p.seq, moves, text(h))
			}
			for nogoods := 0; !p.done() && nogoods < 8; nogoods++ {
				dead++
				reasons := p.deadEnd()
				if len(reasons) == 0 {
					if !p.guessed && mc.completable(mc.at(nil)) {
						t.Fatalf("seed %d %s: no decision led to the dead end %v\n%s", seed, m.Name, p.seq, text(h))
					}
					break
				}
				latest := reasons[len(reasons)-1]
				v := latest.write
				at := slices.Index(p.seq, v)
				if at < 0 {
					t.Fatalf("seed %d %s: decision %d is not in %v\n%s", seed, m.Name, v, p.seq, text(h))
				}
				old := slices.Clone(p.seq)
				seq := old[:at+1]
				if !g.IsWrite(v) || g.Readers(int32(v)) == 0 || p.placed[latest.before] || g.Loc(latest.before) != g.Loc(v) {
					t.Fatalf("seed %d %s: placing %d of %v before %d is no decision\n%s", seed, m.Name, v, p.seq, latest.before, text(h))
				}
				if !p.guessed && mc.completable(mc.at(seq)) {
					t.Fatalf("seed %d %s: the order %v can be completed after decision %d\n%s", seed, m.Name, p.seq, v, text(h))
				}
				sparing := rng.IntN(2) == 0
				if !p.learn(sparing) || !sparing && !slices.Equal(p.seq, old[:at]) {
					t.Fatalf("seed %d %s: after a nogood the order is %v, want %v\n%s", seed, m.Name, p.seq, old[:at], text(h))
				}
				sound(t, p)
				if sparing {
					spared += len(p.seq) - at
					dependent(t, p, mc, old, v)
				}
				place()
				for _, u := range mc.moves(mc.at(p.seq)) {
					if p.due == nil && !p.deferred(u) {
						t.Fatalf("seed %d %s: after a nogood and %v the move %d is forgotten\n%s", seed, m.Name, p.seq, u, text(h))
					}
				}
				if i, until := slices.Index(p.seq, v), slices.Index(p.seq, latest.before); i >= 0 && (until < 0 || until > i) {
					t.Fatalf("seed %d %s: %d was to wait for %d: %v\n%s", seed, m.Name, v, latest.before, p.seq, text(h))
				}
				if p.done() {
					learned++
				}
			}
			p.forget()
			length := rng.IntN(len(p.seq) + 1)
			seq := append([]saturate.Node(nil), p.seq[:length]...)
			p.backTo(length)
			sound(t, p)
			if fresh := replayed(g, seq); !slices.Equal(p.current, fresh.current) || !slices.Equal(p.seq, fresh.seq) {
				t.Fatalf("seed %d %s: back to %v %v, want %v %v", seed, m.Name, p.seq, p.current, fresh.seq, fresh.current)
			}
			// Nothing that could be placed is forgotten.
			p.settle()
			for _, v := range mc.moves(mc.at(p.seq)) {
				if !slices.Contains(p.choices.nodes, v) {
					t.Fatalf("seed %d %s: back to %v, node %d is no choice", seed, m.Name, p.seq, v)
				}
			}
		}
	}
	for seed := range many(1000) {
		drive(draw(rand.New(rand.NewPCG(seed, 63)), 8, 14), seed, seed%2 == 0)
	}
	for seed := range many(500) {
		drive(drawFenced(rand.New(rand.NewPCG(seed, 65)), 8, 14), seed, false)
	}
	for seed := range many(400) {
		rng := rand.New(rand.NewPCG(seed, 64))
		p := histgen.Params{Threads: 6, Ops: 100, Locations: 6}
		drive(histgen.Machine(rng, model.SC, p).History, seed, true)
	}
	for conflicts := 2; conflicts <= 3; conflicts++ {
		for i, k := range []histgen.Kernel{{}, {Fences: true}, {Forbid: true}, {Forbid: true, Fences: true}} {
			if conflicts == 3 && k.Forbid {
				continue // too many states for the reference
			}
			k.Pairs, k.Conflicts = 1, conflicts
			h, _ := k.History()
			for seed := range many(40) {
				drive(h, seed+uint64(i)<<32, true)
			}
		}
	}
	t.Logf("%d dead ends, from which %d orders were learned; %d placements were spared", dead, learned, spared)
	if dead < 20 || learned < 3 || spared < 20 {
		t.Error("too few dead ends")
	}
}
