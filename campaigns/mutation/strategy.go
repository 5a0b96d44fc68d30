package mutation

import (
	"ordeal/campaigns/config"
	"ordeal/gen"
	"ordeal/gen/guided"
)

// Strategy is a generator of programs that competes with others.
type Strategy string

// The strategies. All draw from the same space of programs and machines.
const (
	Uniform Strategy = "random" // without critical cycles
	Shapes  Strategy = "shapes" // critical cycles and little else
	Guided  Strategy = "guided" // evolution, see package guided
	// Explored is evolution that begins with programs which make the accesses of schedules
	// to states that an exploration of the protocol reaches by few ways.
	Explored Strategy = "explored"
)

// Strategies lists the strategies; the others are compared with the first.
func Strategies() []Strategy { return []Strategy{Uniform, Shapes, Guided, Explored} }

// The parameters of the machine that a candidate chooses: latency and jitter of
// messages, the window of out-of-order cores, and the sizes of private and
// shared caches.
var (
	latencies = [][2]int64{{5, 10}, {1, 10}, {1, 60}, {1, 120}}
	windows   = []int{8, 32, 64}
	caches    = [][2]string{{"", ""}, {"2x1", "2x1"}, {"2x2", "2x2"}, {"4x1", "2x1"}}
)

// machine is the choices of a machine: an index into each list.
type machine [3]int

// config is the configuration of a bug on the machine.
func (m machine) config(cfg *config.Config) *config.Config {
	c := *cfg
	c.Latency, c.Jitter = latencies[m[0]][0], latencies[m[0]][1]
	c.Window = windows[m[1]]
	c.PrivateCache, c.SharedCache = caches[m[2]][0], caches[m[2]][1]
	return &c
}

// sizes lists the indexes to choose from.
func sizes() [][]int {
	var all [][]int
	for _, n := range (machine{len(latencies), len(windows), len(caches)}) {
		list := make([]int, n)
		for i := range list {
			list[i] = i
		}
		all = append(all, list)
	}
	return all
}

// Space is the programs and machines of a strategy: few locations and many,
// every layout, so that lines are shared and sets conflict, and slow messages.
func Space(s Strategy) *guided.Space {
	space := &guided.Space{
		Threads: []int{2, 4, 6}, Ops: []int{20, 60, 150}, Locations: []int{2, 4, 8, 16, 32}, Layouts: gen.Layouts(),
		Mixes: []gen.Mix{
			{Load: 50, Store: 43, Exchange: 3, Add: 2, Fence: 2}, {Load: 75, Store: 25}, {Load: 35, Store: 60, Exchange: 5},
		},
		Localities: []float64{0, 0.5, 0.8}, ShapeShares: []float64{0}, Rounds: []int{1, 3},
		Sizes: sizes(),
	}
	switch s {
	case Shapes:
		space.ShapeShares = []float64{0.8}
	case Guided, Explored:
		space.ShapeShares = []float64{0, 0, 0.5}
	}
	return space
}
