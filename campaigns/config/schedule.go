package config

// Schedule gives, for each run number, the index of its configuration. Runs
// of the configurations interleave in proportion, so that a campaign that
// ends early has still seen all of them: at every moment each configuration
// has made its share of the runs so far, up to one run or so.
//
// A campaign of more runs than its configurations have goes on with the same turns,
// those of explorations left out: the runs of a shorter one are the first of them.
//
// That of an audit is empty: its engines decide by the results.
//
// It takes a step for each run and each different number of runs, however many
// configurations there are.
func (c *Campaign) Schedule() []int {
	if c.Audit != nil {
		return nil
	}
	order := c.turns()
	if c.Total == 0 || c.Total < len(order) {
		return order[:c.Runs()]
	}
	var again []int
	for _, i := range order {
		if c.Configs[i].Explore == nil {
			again = append(again, i)
		}
	}
	for len(order) < c.Total {
		order = append(order, again[:min(len(again), c.Total-len(order))]...)
	}
	return order
}

// Planned is the number of runs of each configuration.
func (c *Campaign) Planned() []int {
	planned := make([]int, len(c.Configs))
	if c.Audit != nil {
		return planned
	}
	if c.Total == 0 {
		for i := range c.Configs {
			planned[i] = c.Configs[i].Runs
		}
		return planned
	}
	for _, i := range c.Schedule() {
		planned[i]++
	}
	return planned
}

// turns is the Schedule in which each configuration has its own runs.
func (c *Campaign) turns() []int {
	total := c.once()
	groups := c.groups()
	order := make([]int, 0, total)
	for n := range total {
		// The configuration furthest behind its share is next, of several the
		// first.
		var best *group
		bestLag := 0
		for i := range groups {
			g := &groups[i]
			if g.rounds == g.runs {
				continue
			}
			lag := (n+1)*g.runs - g.rounds*total
			if best == nil || lag > bestLag || lag == bestLag && g.members[g.next] < best.members[best.next] {
				best, bestLag = g, lag
			}
		}
		order = append(order, best.members[best.next])
		if best.next++; best.next == len(best.members) {
			best.next, best.rounds = 0, best.rounds+1
		}
	}
	return order
}

// group is the configurations with one number of runs. They take turns, for
// they fall behind at the same rate.
type group struct {
	runs    int
	members []int // configurations, in the order of the file
	next    int   // index of the member whose turn it is
	rounds  int   // runs that this member has had
}

// groups are those of the campaign, by first appearance.
func (c *Campaign) groups() []group {
	var groups []group
	place := make(map[int]int) // by number of runs
	for i := range c.Configs {
		runs := c.Configs[i].Runs
		k, ok := place[runs]
		if !ok {
			k = len(groups)
			place[runs] = k
			groups = append(groups, group{runs: runs})
		}
		groups[k].members = append(groups[k].members, i)
	}
	return groups
}

// config is the configuration of a run.
func (c *Campaign) Config(schedule []int, number int) *Config { return &c.Configs[schedule[number]] }
