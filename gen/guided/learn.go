package guided

import (
	"math"
	"math/rand/v2"
)

// Parameters of a Learner.
const (
	uniform = 0.2 // share of choices that are drawn without regard to what was learnt
	unseen  = 4   // runs that a value is taken to have had, each with the mean reward
	sharp   = 2   // exponent of rewards as weights
)

// Learner draws candidates by choices that are learnt: each value of each choice of a space
// has a weight, the mean reward of the candidates that had it. It learns the parameters of
// the generator, as Pfeifer et al. do by reinforcement (DATE 2020), and not programs. It is
// a function of its seed and the feedback.
type Learner struct {
	space  *Space
	rng    *rand.Rand
	values [][]value   // by choice
	all    value       // of all candidates
	seen   map[int]int // how many runs took a transition
}

// value is what is known of a value of a choice.
type value struct{ runs, reward float64 }

// mean is the mean reward, with some runs of another mean added.
func (v *value) mean(other float64) float64 { return (v.reward + unseen*other) / (v.runs + unseen) }

// NewLearner starts to learn.
func NewLearner(space *Space, rng *rand.Rand) (*Learner, error) {
	if err := space.Validate(); err != nil {
		return nil, err
	}
	l := &Learner{space: space, rng: rng, seen: map[int]int{}}
	for _, c := range space.choices() {
		l.values = append(l.values, make([]value, c.n))
	}
	return l, nil
}

// Next is a candidate to run.
func (l *Learner) Next() (*Candidate, error) {
	c := base()
	c.drawn = make([]int, len(l.values))
	for i, choice := range l.space.choices() {
		c.drawn[i] = l.draw(l.values[i])
		choice.set(c, c.drawn[i])
	}
	return c, c.draw(l.rng)
}

// draw is the number of a value.
func (l *Learner) draw(values []value) int {
	mean := l.all.mean(0)
	if mean == 0 || l.rng.Float64() < uniform {
		return l.rng.IntN(len(values))
	}
	weights, sum := make([]float64, len(values)), 0.0
	for i := range values {
		weights[i] = math.Pow(values[i].mean(mean)/mean, sharp)
		sum += weights[i]
	}
	at := l.rng.Float64() * sum
	for i, w := range weights {
		if at -= w; at < 0 {
			return i
		}
	}
	return len(values) - 1
}

// Observe adds the feedback of a run of a candidate that Next has drawn. Its reward is its
// fitness as that of a Search.
func (l *Learner) Observe(c *Candidate, f Feedback) {
	for _, row := range f.Taken {
		l.seen[row]++
	}
	m := member{c, f}
	reward := m.fitness(l.seen)
	l.all.add(reward)
	for i, at := range c.drawn {
		l.values[i][at].add(reward)
	}
}

func (v *value) add(reward float64) {
	v.runs++
	v.reward += reward
}
