package repair

import (
	"context"
	"slices"
	"strings"

	"ordeal/sim"
)

// note counts a title that comes up with an edit of the protocol itself. The same edit in
// different rows counts once: what it breaks it breaks everywhere. One that leaves the message where
// it is does not count, nor one that leads to the state in which a row is missing then.
func (s *search) note(n *node) {
	r, ok := s.row(n.title)
	if n.depth != 1 || !ok || n.title == s.o.Finding.Title {
		return
	}
	first, _, _ := strings.Cut(n.id, " + ")
	if s.leads(first, r) {
		return
	}
	edit := first[strings.LastIndexByte(first, '/')+1:]
	if leavesMessage(edit) {
		return
	}
	if i := strings.IndexByte(edit, '@'); i >= 0 && strings.HasPrefix(edit, "insert:") {
		edit = edit[:i]
	}
	if s.comes[n.title] == nil {
		s.comes[n.title] = map[string]bool{}
	}
	s.comes[n.title][edit] = true
}

// leads reports whether an edit of a row of the protocol has the state of another row for its next
// state.
func (s *search) leads(id string, to sim.Row) bool {
	parts := strings.SplitN(id, "/", 4)
	if len(parts) < 4 || s.protocol == nil || parts[1] != to.Machine {
		return false
	}
	state, event, _ := strings.Cut(strings.Trim(parts[2], "()"), ",")
	if next, ok := strings.CutPrefix(parts[3], "next:"); ok {
		return next == to.State
	}
	from, ok := strings.CutPrefix(parts[3], "copy:")
	if !ok {
		return false
	}
	from, other, ok := strings.Cut(from, "@")
	if ok {
		event = other
	}
	for _, m := range s.protocol.Machines {
		t := &table{Machine: m}
		for _, tr := range m.Transitions {
			if m.Name == to.Machine && t.row(tr) == (sim.Row{Machine: m.Name, State: from, Event: event}) {
				_, next := t.names(tr)
				return next == to.State && next != state
			}
		}
	}
	return false
}

// leavesMessage reports whether an edit of a row takes the action away that takes the message off
// its queue, so that it is there again in the next state.
func leavesMessage(edit string) bool {
	op, action, _ := strings.Cut(edit, ":")
	action, _, _ = strings.Cut(action, ">")
	return (op == "drop" || op == "replace") && idleWord(action) == popWord
}

// hides reports whether a title comes up with many edits of the protocol itself, so that it is
// the protocol's own, which the finding hides, and not one of a state in which an edit changes what
// is done. A title without a row is not enough: an edit that is wrong shows the same one as others.
// So is a missing row of an event that is missing in other states of the protocol.
func (s *search) hides(n *node, title string) bool {
	r, ok := s.row(title)
	return (len(s.comes[title]) >= hiding || s.lacks(title)) && !(ok && n.changes(r))
}

// lacks reports whether a title is that of a missing row, and the protocol shows by itself that its event
// is missing in other states of the machine. Where the finding is a missing row, too, one mistake may have
// made all of them.
func (s *search) lacks(title string) bool {
	missing := func(title string) bool { return s.failures[title].Kind == sim.KindInvalidTransition }
	if s.stock == nil || !missing(title) || missing(s.o.Finding.Title) {
		return false
	}
	r, others := s.failures[title].Row, map[sim.Row]bool{}
	note := func(shown string) {
		if known := s.failures[shown].Row; missing(shown) && known.Machine == r.Machine && known.Event == r.Event && known.State != r.State {
			others[known] = true
		}
	}
	for _, f := range s.stock.Findings {
		note(f.Title)
	}
	for shown := range s.shown {
		note(shown)
	}
	return len(others) >= lacking
}

// changes reports whether an edit is of a row of the state of another one.
func (n *node) changes(r sim.Row) bool {
	return slices.ContainsFunc(strings.Split(n.id, " + "), func(id string) bool {
		parts := strings.SplitN(id, "/", 4)
		return len(parts) == 4 && parts[1] == r.Machine && strings.HasPrefix(parts[2], "("+r.State+",")
	})
}

// uncovered are the edits of the protocol itself with which something comes up that the
// finding hides.
func (s *search) uncovered(nodes []*node) (list []*node) {
	for _, n := range nodes {
		if n.depth == 1 && s.hides(n, n.title) {
			list = append(list, n)
		}
	}
	return list
}

// retry makes the runs of edits again, with what the finding hides.
func (s *search) retry(ctx context.Context, list []*node) (open, others []*node, err error) {
	clear(s.made) // what was added to them may be tried again
	for _, n := range list {
		n.title, n.shown, n.of, n.findings, n.rare = "", nil, nil, n.findings[:1], nil
		n.list, n.at, n.others = nil, 0, nil // what was added to it was against what is hidden
		if err := s.try(ctx, n); err != nil {
			return nil, nil, err
		}
		if n.title == "" {
			open = append(open, n)
		} else {
			others = append(others, n)
		}
	}
	return open, others, nil
}
