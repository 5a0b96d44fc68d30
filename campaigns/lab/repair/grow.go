package repair

import (
	"cmp"
	"context"
	"crypto/sha256"
	"math"
	"slices"

	"ordeal/campaigns/audit"
	"ordeal/sim/ruby"
	"ordeal/sim/slicc/syntax"
)

// confirm makes runs with other seeds of a finding whose own runs an edit passes, until
// something new comes up: a finding that is rare goes away with any edit.
func (s *search) confirm(ctx context.Context, n *node) error {
	if s.other == nil {
		return nil
	}
	f := *s.other
	for left := s.otherRuns; left > 0 && n.title == ""; left -= audit.ShowTries {
		if err := s.pass(ctx, n, &f); err != nil {
			return err
		}
		f.Seed += audit.ShowTries
	}
	return nil
}

// grow adds edits to the likeliest edit of all, to the protocol itself at first, until some
// pass their audits or the work is done.
func (s *search) grow(ctx context.Context, root *node) error {
	nodes := []*node{root}
	for len(nodes) > 0 && places(s.passed) < enough && len(s.passed) < s.o.Best/2 && s.result.Tried < s.o.Tries && s.spent < s.budget() && ctx.Err() == nil {
		on := root
		if root.at >= s.o.Tries/2 || root.done() { // most repairs are edits of the protocol itself
			on = slices.MaxFunc(nodes, func(a, b *node) int { return cmp.Compare(a.score(), b.score()) })
		}
		again := s.uncovered(nodes)
		var open, others []*node
		var err error
		if len(again) > 0 {
			on = root
			nodes = slices.DeleteFunc(nodes, func(n *node) bool { return slices.Contains(again, n) })
			open, others, err = s.retry(ctx, again)
		} else {
			open, others, err = s.expand(ctx, on)
			if on.done() {
				nodes = slices.DeleteFunc(nodes, func(n *node) bool { return n == on })
			}
		}
		if err != nil {
			return err
		}
		for len(open) > 0 && s.spent < s.budget() && ctx.Err() == nil {
			n := open[0]
			open = open[1:]
			err := s.confirm(ctx, n)
			n.compiled = nil
			if err != nil {
				return err
			}
			if n.title != "" {
				others = append(others, n)
				continue
			}
			r, passes, err := s.audit(ctx, n)
			if err != nil {
				return err
			}
			if passes && s.disables(r) {
				s.failed = append(s.failed, r)
				continue
			}
			if passes && len(r.New) == 0 {
				s.passed = append(s.passed, r)
				continue
			}
			if passes { // except for what was put aside
				s.nearly = append(s.nearly, r)
				continue
			}
			s.failed = append(s.failed, r)
			s.note(n)
			n.value = math.Log2(float64(r.Steps + 1))
			nodes = append(nodes, n)
		}
		for _, n := range others {
			if n.against(n.title) {
				continue
			}
			n.of, n.nth = on, on.others[n.title]
			on.others[n.title]++
			s.note(n)
			if !blunder(n.title) {
				nodes = append(nodes, n)
			}
		}
	}
	return nil
}

// list are the repairs that were found, in order: those that pass, then those whose audits went on
// longest.
func (s *search) list() []*Repair {
	list := ranked(slices.Concat(s.passed, s.nearly))
	list = distinct(append(list, longest(s.failed, list)...))
	return list[:min(len(list), s.o.Best)]
}

// budget are the steps of all audits.
func (s *search) budget() uint64 { return uint64(s.o.Best) * s.o.Steps / 2 }

// expand adds the next edits for what comes up with one. Open are those whose runs of all
// findings show nothing new, others those with which something else comes up.
func (s *search) expand(ctx context.Context, on *node) (open, others []*node, err error) {
	if on.others == nil {
		on.others = map[string]int{}
		if err := s.prepare(ctx, on); err != nil {
			return nil, nil, err
		}
	}
	for tries := 0; tries < turn && !on.done() && s.result.Tried < s.o.Tries && ctx.Err() == nil; {
		n := &node{candidate: on.next(), findings: on.findings, rare: on.rare, depth: on.depth + 1}
		m, err := on.catalogue.Find(n.id)
		if err != nil {
			continue // not an edit of this protocol
		}
		tree := on.catalogue.Tree(m)
		if s.again(tree) {
			continue
		}
		if n.compiled, err = ruby.Compile(tree); err != nil {
			continue
		}
		n.id, n.edits = join(on.id, n.id), on.edits+n.edits
		if err := s.try(ctx, n); err != nil {
			continue // no machine with it can be made
		}
		tries++
		s.result.Tried++
		if s.o.OnTry != nil {
			s.o.OnTry(s.result.Tried, n.id)
		}
		if n.title == "" {
			open = append(open, n)
		} else {
			others = append(others, n)
			n.compiled = nil
		}
	}
	return open, others, nil
}

// again reports whether a protocol was tried before, and notes it.
func (s *search) again(tree *syntax.File) bool {
	key := sha256.Sum256([]byte(syntax.PrintAll(tree)))
	if s.made[key] {
		return true
	}
	s.made[key] = true
	return false
}

// prepare lists the edits that may be added to one.
func (s *search) prepare(ctx context.Context, n *node) (err error) {
	if n.shown == nil {
		if err := s.repeat(ctx, n); err != nil {
			return err
		}
	}
	if n.catalogue, err = s.catalogue(n.id); err != nil {
		return err
	}
	checked, err := n.catalogue.Protocol()
	if err != nil {
		return err
	}
	if n.id == "" {
		s.protocol = checked
	}
	n.list = candidates(checked, newBodyEdits(n.catalogue), n.shown.failure(n.title), n.shown)
	return nil
}

// try runs the findings that an edit has to pass, the last one first, until
// something new comes up.
func (s *search) try(ctx context.Context, n *node) error {
	for _, f := range slices.Backward(n.findings) {
		if err := s.pass(ctx, n, f); err != nil || n.title != "" {
			return err
		}
	}
	return nil
}

// pass makes the runs of a finding with an edit, and notes what comes up that is new.
func (s *search) pass(ctx context.Context, n *node, f *audit.Finding) error {
	isNew := func(title string) bool { return s.isNew(n, title) }
	for {
		now, err := s.outcome(ctx, n, f, isNew)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(now.titles, isNew)
		if i >= 0 && n.aside(now.titles[i], now.runs-1) {
			continue // the same runs, with what follows
		}
		n.runs += now.runs
		if i >= 0 {
			n.title, n.shown = now.titles[i], now
		}
		return nil
	}
}

// aside reports whether a title that comes up after so many runs without the finding does not
// count against the edit: one to which no edit could be added, which the finding may
// have hidden. An edit at a wrong place fails at once.
func (n *node) aside(title string, passed int) bool {
	if passed < asideRuns || !blunder(title) || n.against(title) || len(n.rare) >= mostAside {
		return false
	}
	n.rare = append(slices.Clip(n.rare), title)
	return true
}

// repeat makes the runs of the finding that ended the audit of an edit.
func (s *search) repeat(ctx context.Context, n *node) error {
	f := n.findings[len(n.findings)-1]
	shown, err := s.outcome(ctx, n, f, func(title string) bool { return title == f.Title })
	if err != nil {
		return err
	}
	n.shown = shown
	return s.recall(ctx, n, f)
}

// disables reports whether a tenth of the rows is not taken any more with a repair that passes: it takes
// away what led to the finding.
func (s *search) disables(r *Repair) bool { return r.Lost*10 > s.stock.Coverage.Taken() }

// late puts a title aside that comes up in the second half of the audit of an edit, unless the edit
// is to take it away: it is too rare for runs of it to tell edits apart, and may be that of a defect
// that others have hidden.
func (s *search) late(n *node, title string, steps uint64) bool {
	if steps < s.o.Steps/2 || n.against(title) {
		return false
	}
	n.rare = append(slices.Clip(n.rare), title)
	return true
}

// audit audits an edit until something new comes up, which is then what is to go away next, but for
// what comes up late: with that it is audited to the end, while there are steps left, and passes.
func (s *search) audit(ctx context.Context, n *node) (r *Repair, passes bool, err error) {
	var failed error
	stop := func(f *audit.Finding) bool {
		if failed != nil {
			return true
		}
		if !s.isNew(n, f.Title) {
			return false
		}
		if n.against(f.Title) {
			return true
		}
		known, err := s.known(ctx, f)
		failed = err
		return !known && !s.late(n, f.Title, f.Steps)
	}
	var report *audit.Report
	late := true
	for late {
		report, err = s.audited(ctx, n.id, s.o.Steps, stop)
		if err := cmp.Or(err, failed, ctx.Err()); err != nil { // an audit that was interrupted shows nothing
			return nil, false, err
		}
		s.spent += report.Steps
		f := report.Stopped // its steps are those before its turn, which may be a long one
		if late = f != nil && s.late(n, f.Title, report.Steps); s.spent >= s.budget() {
			break
		}
	}
	r = &Repair{ID: n.id, Edits: n.edits, Runs: n.runs, Findings: report.Findings, Steps: report.Steps, rank: n.rank}
	for _, f := range report.Findings {
		switch {
		case f == report.Stopped || slices.Contains(n.rare, f.Title):
			r.New = append(r.New, f.Title)
		case s.hides(n, f.Title):
			r.Hidden = append(r.Hidden, f.Title)
		default:
			r.Left = append(r.Left, f.Title)
		}
	}
	if f := report.Stopped; f != nil {
		if !late {
			n.title, n.shown, n.findings = f.Title, nil, append(slices.Clip(n.findings), f)
		}
		return r, late, nil
	}
	r.Lost = max(s.stock.Coverage.Taken()-report.Coverage.Taken(), 0)
	return r, true, nil
}
