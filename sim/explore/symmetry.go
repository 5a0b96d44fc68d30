package explore

import (
	"math/rand/v2"
	"slices"

	"ordeal/sim/explore/machine"
	"ordeal/sim/ruby"
)

// maxPermutations bounds the permutations of a machine, and maxRenamed their product with the controllers that
// have cores, each of which is renamed by all of them. Of more cores or lines than there is room for, those that
// come first are renamed and the others are not; cores go before lines.
const (
	maxPermutations = 1 << 10
	maxRenamed      = 1 << 13
)

// renamings lists the sets of permutations that may make no difference to a
// machine, the largest first; the last one renames nothing.
func (c *Config) renamings(s *ruby.Stepper) [][]ruby.Permutation {
	var sets [][]ruby.Permutation
	privates := s.Private()
	if c.Symmetry {
		if !s.RanksCores() {
			sets = append(sets, c.permutations(privates, true))
		}
		if lines := c.permutations(privates, false); len(lines) > 1 {
			sets = append(sets, lines)
		}
	}
	return append(sets, []ruby.Permutation{{Cores: upTo(privates), Lines: upTo(c.Lines)}})
}

// permutations lists renamings, that of nothing first: of the controllers that
// have cores, all with the same number of them, and of lines of the same directory
// and bank.
func (c *Config) permutations(privates int, cores bool) []ruby.Permutation {
	most := min(maxPermutations, max(maxRenamed/privates, 1))
	coreLists := [][]int{upTo(privates)}
	if cores && c.System.Cores%privates == 0 {
		coreLists = arrangements(privates, func(int) int { return 0 }, most)
	}
	n := c.spread()
	lineLists := arrangements(c.Lines, func(line int) int { return line % n }, most/len(coreLists))
	var list []ruby.Permutation
	for _, cores := range coreLists {
		for _, lines := range lineLists {
			list = append(list, ruby.Permutation{Cores: cores, Lines: lines})
		}
	}
	return list
}

func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// arrangements lists the permutations of n things that keep each in its class, in lexical order. If
// there are more than a limit, only so many of the first things change places that there are not.
func arrangements(n int, class func(int) int, limit int) [][]int {
	moved, number := 0, 1
	for ; moved < n; moved++ {
		same := 1 // those of its class up to this one
		for i := range moved {
			if class(i) == class(moved) {
				same++
			}
		}
		if number*same > limit {
			break
		}
		number *= same
	}
	var all [][]int
	var place func(list []int)
	place = func(list []int) {
		if len(list) == moved {
			all = append(all, append(slices.Clone(list), upTo(n)[moved:]...))
			return
		}
		for i := range moved {
			if class(i) == class(len(list)) && !slices.Contains(list, i) {
				place(append(list, i))
			}
		}
	}
	place(nil)
	return all
}

// rename is the state that a permutation makes of a state.
func (m *Machine) rename(s machine.State, perm *ruby.Permutation) (machine.State, error) {
	n := m.Controllers()
	renamed := make(machine.State, len(s))
	boxes := make([][]uint32, n)
	for i := range n {
		m.Start()
		m.mustLoad(i, s[i])
		text := m.encode(nil, i, perm)
		to := int(text[1+text[0]])
		if err := m.load(to, text); err != nil {
			return nil, err
		}
		renamed[to] = m.controller(to)
		for _, msg := range m.parts.inboxes.at(s[n+i]).messages {
			sent, err := m.LoadSent(m.parts.messages.at(msg).text)
			if err != nil {
				return nil, err
			}
			if sent, err = m.LoadSent(m.AppendSent(nil, &sent, perm)); err != nil {
				return nil, err
			}
			boxes[to] = append(boxes[to], m.message(&sent))
		}
	}
	for i, list := range boxes {
		renamed[n+i] = m.inbox(nil)
		for _, msg := range list {
			renamed[n+i] = m.with(renamed[n+i], msg)
		}
	}
	return renamed, nil
}

// The walk that looks for a difference between states that only names distinguish has symmetrySteps, and
// ends behind symmetrySuccessors: machines of so many cores that this comes first have too many states anyway.
const (
	symmetrySteps      = 400
	symmetrySuccessors = 1 << 16
)

// checkSymmetry walks at random, the same way each time, and takes the steps of
// each state also after a renaming. It reports whether the names never made a
// difference, as for the smallest member of a set: otherwise states must not be
// merged.
func (m *Machine) checkSymmetry() (same bool, err error) {
	random := rand.New(rand.NewPCG(1, 1))
	var here, there machine.Expansion
	s := m.Initial()
	for n, seen := 0, 0; n < symmetrySteps && seen < symmetrySuccessors; n++ {
		m.Expand(s, &here)
		seen += len(here.Prints)
		perm := &m.permutations[random.IntN(len(m.permutations))]
		renamed, err := m.rename(s, perm)
		if err != nil {
			return false, err
		}
		m.Expand(renamed, &there)
		a, b := slices.Clone(here.Prints), slices.Clone(there.Prints)
		slices.SortFunc(a, machine.Fingerprint.Compare)
		slices.SortFunc(b, machine.Fingerprint.Compare)
		if here.Steps != there.Steps || len(here.Faults) != len(there.Faults) || !slices.Equal(a, b) {
			return false, nil
		}
		if len(here.Prints) == 0 {
			s = m.Initial()
			continue
		}
		next := random.IntN(len(here.Prints))
		s = slices.Clone(machine.State(here.States[next*m.Width() : (next+1)*m.Width()]))
	}
	return true, nil
}

// Ranked reports whether names make a difference to the protocol, so that fewer
// are renamed than would be.
func (m *Machine) Ranked() bool { return m.ranked }

// Symmetry says what is renamed: cores, lines, both or nothing.
func (m *Machine) Symmetry() string {
	cores, lines := false, false
	for i := range m.permutations {
		p := &m.permutations[i]
		cores = cores || !slices.IsSorted(p.Cores)
		lines = lines || !slices.IsSorted(p.Lines)
	}
	switch {
	case cores && lines:
		return "cores and lines"
	case cores:
		return "cores"
	case lines:
		return "lines"
	}
	return "none"
}
