package repair

import (
	"math"
	"slices"
	"strings"

	"ordeal/campaigns/audit"
	"ordeal/sim/ruby"
	"ordeal/sim/slicc/mutate"
)

// node is an edit, and what comes up with it.
type node struct {
	candidate
	// findings are those whose runs the edit has to pass: the one that is searched
	// for, and those of audits of edits that it adds to.
	findings []*audit.Finding
	depth    int // of additions to the protocol
	// title is what comes up with it, and shown the runs or the exploration with that; the
	// runs of an audit are repeated for it when needed.
	title string
	shown *outcome
	runs  int      // of the findings
	rare  []string // titles that came up late in runs or audits, and do not count
	// value is the logarithm of the steps of its audit. Without one it is the nth edit of
	// another one with which the title comes up.
	value float64
	of    *node
	nth   int
	// list are edits that may be added, of which at are tried, others counts titles that
	// come up with them. They are listed when the first is tried.
	catalogue *mutate.Catalogue
	compiled  *ruby.Protocol // while it is tried
	list      []candidate
	at        int
	others    map[string]int
}

// done reports whether all edits were added.
func (n *node) done() bool { return n.others != nil && n.at == len(n.list) }

// next is the next edit to be added.
func (n *node) next() candidate {
	n.at++
	return n.list[n.at-1]
}

// score says how likely an edit is a part of a repair: by the steps of its audit, of which
// each edit has to double those of the one before, and by how many were added to it in vain.
// Of those with which something else comes up in the same runs, one of each title is as likely
// as many others have that title, which may be the protocol's.
func (n *node) score() float64 {
	value := n.value
	if n.of != nil {
		value = n.of.value - 1 - float64(n.nth) + math.Log2(float64(n.of.others[n.title]))
	}
	return value - float64(n.edits) - float64(n.at)/(2*turn)
}

// blunders begin the titles of what an action does at a wrong place.
var blunders = []string{"peek of ", "dequeue of ", "recycle of ", "stall_and_wait on ", "sequencer", "failed assertion", "error(", "use of ", "NetDest: ", "network: ", "TBE table: ", "cache: "}

// blunder reports whether a title that comes up with an edit is the edit's own fault, so that
// there is nothing to add to it.
func blunder(title string) bool {
	return slices.ContainsFunc(blunders, func(prefix string) bool { return strings.HasPrefix(title, prefix) })
}

// against reports whether a title is that of a finding that an edit is to take away.
func (n *node) against(title string) bool {
	return slices.ContainsFunc(n.findings, func(f *audit.Finding) bool { return f.Title == title })
}
