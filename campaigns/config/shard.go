package config

import (
	"fmt"
	"strconv"
	"strings"
)

// Shard is part Index of the Of parts that a campaign is cut into, counted
// from 1, so that several machines can share it. The zero Shard is the whole
// campaign. Which runs are in a shard is a function of the campaign's
// configurations, their numbers of runs and their batches: the shards are
// disjoint, and together they are the campaign.
type Shard struct{ Index, Of int }

// UnmarshalText reads the form "2/4"; no text is the whole.
func (s *Shard) UnmarshalText(text []byte) error {
	*s = Shard{}
	if len(text) == 0 {
		return nil
	}
	index, of, ok := strings.Cut(string(text), "/")
	i, errIndex := strconv.ParseUint(index, 10, 31)
	n, errOf := strconv.ParseUint(of, 10, 31)
	if !ok || errIndex != nil || errOf != nil || i < 1 || i > n {
		return fmt.Errorf("%q is no shard: want i/n, i from 1 to n", text)
	}
	*s = Shard{int(i), int(n)}
	return nil
}

// String is the form that UnmarshalText reads, empty for the whole.
func (s Shard) String() string {
	if s.Whole() {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// MarshalText writes the form that UnmarshalText reads.
func (s Shard) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Whole reports whether s is the whole campaign.
func (s Shard) Whole() bool { return s == Shard{} }

// Launches is the number of launches of simulators that make the runs of a
// campaign: a batch of runs is one. Shards beyond that number are empty.
func (c *Campaign) Launches() int {
	n := 0
	for _, launches := range c.launches() {
		n += launches
	}
	return n
}

// launches is the number of launches of each configuration.
func (c *Campaign) launches() []int {
	list := c.Planned()
	for i := range list {
		size := c.Configs[i].perLaunch()
		list[i] = (list[i] + size - 1) / size
	}
	return list
}

// perLaunch is how many runs a launch makes.
func (c *Config) perLaunch() int { return max(c.Batch, 1) }

// Has tells for each run number of a campaign whether the shard has it.
// Launches are dealt out like cards, one configuration after the other: two
// shards differ by at most one launch of each configuration, and by at most
// one in all.
func (s Shard) Has(c *Campaign) []bool {
	has := make([]bool, c.Runs())
	dealt := make([]int, len(c.Configs)) // launches of the configurations before
	launches := c.launches()
	for i := 1; i < len(c.Configs); i++ {
		dealt[i] = dealt[i-1] + launches[i-1]
	}
	seen := make([]int, len(c.Configs)) // runs
	for number, i := range c.Schedule() {
		launch := dealt[i] + seen[i]/c.Configs[i].perLaunch()
		seen[i]++
		has[number] = s.Whole() || launch%s.Of == s.Index-1
	}
	return has
}
