package audit

import (
	"math/rand/v2"
	"slices"
	"strings"

	"ordeal/campaigns/config"
	"ordeal/gen"
	"ordeal/gen/guided"
	"ordeal/sim/ruby"
	"ordeal/sim/ruby/network"
)

// size is a size or a property of machines with the values to choose from; those
// that are more often worth a run are listed more often. Omitting features at
// random finds more than having all of them in each run (Groce et al., Swarm
// Testing, ISSTA 2012).
type size struct {
	n   int
	set func(m *config.Machine, i int)
}

// choose is a size of values that a function sets.
func choose[T any](set func(m *config.Machine, v T), values ...T) size {
	return size{len(values), func(m *config.Machine, i int) { set(m, values[i]) }}
}

// latency is that of messages and of memory, and their jitters.
type latency struct{ base, jitter, memory, memoryJitter int64 }

// faithful is the latency nearest to gem5's.
var faithful = latency{6, 0, 60, 0}

// exploring are latencies with which messages overtake each other.
var exploring = []latency{
	{4, 12, 10, 10}, {5, 10, 30, 60}, {1, 10, 10, 10}, {1, 60, 10, 10}, {1, 60, 50, 300}, {1, 120, 10, 10}, {1, 3, 300, 100}, faithful,
}

func setLatency(m *config.Machine, l latency) {
	m.Latency, m.Jitter, m.MemoryLatency, m.MemoryJitter = l.base, l.jitter, l.memory, l.memoryJitter
	if l == faithful {
		m.EventOrder, m.LinkOccupancy = "lifo", int64(network.DefaultOccupancy)
	}
}

// Watchdog and step budget: what is stuck shall not take the time of others.
const (
	watchdog   = 100_000
	stepBudget = 600_000
	// eventsPerOp more for each operation.
	eventsPerOp = 400
)

// sizes are those of machines for a protocol.
func sizes(p *ruby.Protocol, repairs bool) []size {
	list := []size{
		choose(func(m *config.Machine, v string) { m.Core = v }, "inorder", "tso", "ooo", "ooo"),
		choose(func(m *config.Machine, v int) { m.Window = v }, 8, 32, 64),
		choose(setLatency, exploring...),
		choose(func(m *config.Machine, v [2]string) { m.PrivateCache, m.SharedCache = v[0], v[1] },
			[2]string{}, [2]string{"1x1", "1x1"}, [2]string{"2x1", "2x1"}, [2]string{"2x2", "2x2"}, [2]string{"4x1", "2x1"}, [2]string{"2x1", "8x4"}, [2]string{"4x4", "8x4"}),
		choose(func(m *config.Machine, v int) { m.Dirs = v }, 1, 1, 2),
		choose(func(m *config.Machine, v int) { m.L2Banks = v }, 1, 1, 2),
		choose(func(m *config.Machine, v int) { m.TBEs = v }, 0, 0, 0, 0, 0, 16, 4, 2),
		choose(func(m *config.Machine, v string) { m.RMW = v }, "", "", "llsc", "access"),
		choose(func(m *config.Machine, v int64) { m.LockHold = v }, 0, 0, 40, 100),
		choose(func(m *config.Machine, v int) { m.WrongPath = v }, 0, 0, 4, 8),
		choose(func(m *config.Machine, v int) { m.LateStores = v }, 0, 0, 0, 6),
		choose(func(m *config.Machine, v string) { m.Reorder = v }, "", "", "", "", "unordered", "all"),
		choose(func(m *config.Machine, v bool) { m.MemoryReorder = v }, false, false, true),
		choose(func(m *config.Machine, v int) { m.Cores = v }, 0, 0, 4, 8),
		choose(func(m *config.Machine, v string) { m.Barriers = v }, "", "", "", "", "ends", "rounds"),
	}
	if p.SecondLevels() {
		list = append(list, choose(func(m *config.Machine, v int) { m.L2Cores = v }, 0, 2, 2, 4))
	}
	if p.Devices() {
		list = append(list, choose(func(m *config.Machine, v int) { m.DeviceThreads = v }, 0, 0, 2))
	}
	if p.Flushes() {
		list = append(list, choose(func(m *config.Machine, v int64) { m.Flush = v }, 0, 0, 200))
	}
	if p.Prefetches() {
		list = append(list, choose(func(m *config.Machine, v int64) { m.Prefetch = v }, 0, 0, 100))
	}
	if p.Streams() {
		list = append(list, choose(func(m *config.Machine, v int) { m.Streams = v }, 0, 0, 0, 1, 4))
	}
	if p.CheckFunctional() == nil {
		list = append(list, choose(func(m *config.Machine, v int64) { m.Functional = v }, 0, 0, 0, 60))
	}
	if choices := p.Choices(); len(choices) > 0 {
		sets := make([]int, parameterSets)
		for i := range sets {
			sets[i] = i
		}
		list = append(list, choose(func(m *config.Machine, i int) { m.SetParameter = parameterSet(choices, i) }, sets...))
	}
	if repairs {
		list = append(list, choose(func(m *config.Machine, v bool) { m.Repair = v }, false, true))
	}
	return list
}

// parameterSets is how many sets of parameters there are to choose from.
const parameterSets = 4096

// parameterSet is one of those sets. Half of them are empty. Some have few parameters,
// and some so many that machines come to be what no single parameter makes of
// them: of all machines, or of one, as a cache is exclusive by several together.
// Others set all parameters of a group alike, of one machine or of two, or give a machine
// the truth values that another one has, as a second level those of a home node.
func parameterSet(choices []ruby.Parameter, number int) []string {
	if number%2 == 0 {
		return nil
	}
	rng := rand.New(rand.NewPCG(uint64(number), 0))
	var taken []ruby.Parameter
	take := func(c ruby.Parameter) {
		if !slices.ContainsFunc(taken, func(t ruby.Parameter) bool { return t.Role == c.Role && t.Name == c.Name }) {
			taken = append(taken, c)
		}
	}
	few := func(n int) {
		for range n {
			take(choices[rng.IntN(len(choices))])
		}
	}
	each := func(share float64, role string) {
		for _, c := range choices {
			if (role == "" || c.Role == role) && rng.Float64() < share {
				take(c)
			}
		}
	}
	alike := func(role string) {
		list := groups(choices, role)
		for n := 1 + rng.IntN(mostGroups); n > 0 && len(list) > 0; n-- {
			i := rng.IntN(len(list))
			for _, c := range list[i] {
				take(c)
			}
			list = slices.Delete(list, i, i+1)
		}
	}
	roles := rolesOf(choices)
	switch rng.IntN(7) {
	case 0:
		few(1)
	case 1:
		few(2 + rng.IntN(2))
	case 2:
		each(0.125, "")
	case 3:
		alike(roles[rng.IntN(len(roles))])
	case 4:
		for _, role := range roles {
			if rng.IntN(2) > 0 {
				alike(role)
			}
		}
	case 5:
		role := rng.IntN(len(roles))
		other := (role + 1 + rng.IntN(max(len(roles)-1, 1))) % len(roles)
		for _, c := range asIn(choices, roles[role], roles[other]) {
			take(c)
		}
		if rng.IntN(2) > 0 {
			alike(roles[other])
		}
	default:
		each(0.5, choices[rng.IntN(len(choices))].Role)
	}
	var list []string
	for _, c := range taken {
		list = append(list, c.String())
	}
	slices.Sort(list)
	return list
}

// mostGroups is how many groups of a machine are set alike.
const mostGroups = 3

// rolesOf lists the machines that have parameters to choose, in their order.
func rolesOf(choices []ruby.Parameter) []string {
	var list []string
	for _, c := range choices {
		if !slices.Contains(list, c.Role) {
			list = append(list, c.Role)
		}
	}
	return list
}

// groups are the truth values of a machine whose names are the same up to the last word,
// as dealloc_backinv_unique and dealloc_backinv_shared of CHI, by group and value:
// what makes all of a group true, and what makes all of them false. Groups of one are left out.
func groups(choices []ruby.Parameter, role string) [][]ruby.Parameter {
	type key struct {
		stem  string
		value int64
	}
	var keys []key
	of := map[key][]ruby.Parameter{}
	members := map[string]int{}
	for _, c := range choices {
		at := strings.LastIndexByte(c.Name, '_')
		if c.Role != role || at < 0 || c.Value > 1 {
			continue
		}
		k := key{c.Name[:at], c.Value}
		if of[k] == nil {
			keys = append(keys, k)
		}
		of[k] = append(of[k], c)
		members[k.stem]++
	}
	var list [][]ruby.Parameter
	for _, k := range keys {
		if members[k.stem] > 1 {
			list = append(list, of[k])
		}
	}
	return list
}

// asIn are the truth values with which a machine is as another one is without a choice.
func asIn(choices []ruby.Parameter, role, other string) []ruby.Parameter {
	var list []ruby.Parameter
	for _, c := range choices {
		if c.Role == role && slices.Contains(choices, ruby.Parameter{Role: other, Name: c.Name, Value: 1 - c.Value}) {
			list = append(list, c)
		}
	}
	return list
}

// space is what programs and machines are drawn from.
func space(p *ruby.Protocol, list []size, e Engine) *guided.Space {
	s := &guided.Space{
		Threads: []int{1, 2, 3, 4, 6, 8}, Ops: []int{20, 60, 150}, Locations: []int{2, 4, 8, 16, 32}, Layouts: gen.Layouts(),
		Mixes: []gen.Mix{
			{Load: 50, Store: 43, Exchange: 3, Add: 2, Fence: 2}, {Load: 75, Store: 25}, {Load: 35, Store: 60, Exchange: 5},
			{Load: 40, Store: 30, Exchange: 20, Add: 10},
		},
		Localities: []float64{0, 0.5, 0.8}, ShapeShares: []float64{0, 0, 0.5}, Rounds: []int{1, 3, 10},
		Fetch: []int{0, 0, 0, 2},
	}
	if p.Devices() {
		s.DMA = []int{0, 0, 0, 1, 1, 2, 2, 3}
	}
	if e == Cycles {
		s.Threads, s.Ops, s.Locations = []int{2, 3, 4}, []int{20, 60}, []int{2, 4, 8}
		s.ShapeShares, s.Rounds, s.Fetch = []float64{1}, []int{10, 30}, nil
	}
	for _, z := range list {
		values := make([]int, z.n)
		for i := range values {
			values[i] = i
		}
		s.Sizes = append(s.Sizes, values)
	}
	return s
}

// crowdAfter is after how many steps of an audit, some seconds, a few programs have many threads.
const crowdAfter = 10_000_000

// crowded is a space with a few programs of many threads, which take as long as ten others.
func crowded(s *guided.Space) *guided.Space {
	c := *s
	c.Threads = append(slices.Repeat(s.Threads, 10), 16, 32, 64)
	c.Crowd, c.CrowdOps = 16, 2000
	return &c
}

// machine is the machine of a candidate.
func machine(list []size, c *guided.Candidate, e Engine) config.Machine {
	var m config.Machine
	for i, at := range c.Sizes {
		list[i].set(&m, at)
	}
	if e == Faithful {
		m.Reorder, m.MemoryReorder = "", false
		setLatency(&m, faithful)
	}
	if m.Core != "ooo" {
		m.WrongPath, m.Window, m.LateStores = 0, 0, 0
	}
	if m.RMW == "access" || m.RMW == "llsc" {
		m.LockHold = 0
	}
	if m.Cores != 0 {
		m.Cores = max(m.Cores, c.Program.Cores())
	}
	m.Watchdog, m.StepBudget = watchdog, stepBudget+eventsPerOp*uint64(c.Ops())
	return m
}
