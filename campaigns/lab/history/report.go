package history

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/diagnose"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/lab"
	"ordeal/campaigns/lab/bugs"
	"ordeal/campaigns/run"
)

const reportVersion = 1

// Report is the result of a replay.
type Report struct {
	Version int    `json:"version"`
	Since   string `json:"since"`
	// Budget bounds the audit of each of the Versions of protocols.
	Budget   bugs.Budget `json:"budget"`
	Versions int         `json:"versions"`
	Commits  []*Row      `json:"commits"`
	Defects  []*Defect   `json:"defects"`
	_        struct{}
}

// Row describes what a commit did.
type Row struct {
	Commit *bugs.Commit `json:"commit"`
	// Changed are the protocols that say something else after it.
	Changed []string `json:"changed"`
	Events  []*Event `json:"events,omitempty"`
	// Broken are the protocols that can be parsed and simulated before the commit, and not after it.
	Broken []string `json:"broken,omitempty"`
	// Refused are those that cannot be simulated, before it and after it.
	Refused []string `json:"refused,omitempty"`
	// Reasons say what could not be read, parsed or simulated.
	Reasons []string `json:"reasons,omitempty"`
}

func (r *Row) note(protocol, reason string) {
	if reason = strings.TrimPrefix(protocol+": "+reason, ": "); !slices.Contains(r.Reasons, reason) {
		r.Reasons = append(r.Reasons, reason)
	}
}

// What happens to a finding at a commit.
const (
	Begins   = "begins"   // a regression: its runs do not show it in any parent
	Unmasked = "unmasked" // in the parents its runs end with what the commit repaired
	Comes    = "comes"    // with the protocol, which the parents have not
	Ends     = "ends"     // its runs show it in every parent, and not any more
	Unsure   = "unsure"   // it is too rare: that no parent shows it may be chance
	Stays    = "stays"    // a parent has it, too
)

// Event is a finding that a commit begins or ends.
type Event struct {
	What     string         `json:"what"`
	Protocol string         `json:"protocol"`
	Title    string         `json:"title"`
	Finding  *audit.Finding `json:"finding"`
	// Witness has the run directory of what begins.
	Witness *Witness `json:"witness,omitempty"`
	// Before is the title with which its runs end in a parent, if it is unmasked.
	Before string `json:"before,omitempty"`
}

// Witness is the record of a finding: the directory of the run, or of witness.txt alone where it was found by
// exploration, and the number of operations or steps left.
type Witness struct {
	Dir  string `json:"dir"`
	Size int    `json:"size"`
}

// Defect is a finding over all commits.
type Defect struct {
	Protocol string `json:"protocol"`
	Title    string `json:"title"`
	// Since are the commits at which it became findable; none: it was there before. Until are those that ended it.
	Since []string `json:"since,omitempty"`
	Until []string `json:"until,omitempty"`
	// Ending has what the messages of these say of themselves.
	Ending []string `json:"ending,omitempty"`
}

// Regressions counts the findings that a commit began.
func (r *Report) Regressions() int {
	n := 0
	for _, row := range r.Commits {
		for _, e := range row.Events {
			if e.What == Begins {
				n++
			}
		}
	}
	return n
}

// conclude says what each commit did, and records what it began. Findings with conditions do not begin anything.
func (r *Replay) conclude(ctx context.Context, changes []*change, report *Report) error {
	rows := map[*bugs.Commit]*Row{}
	for _, row := range report.Commits {
		rows[row.Commit] = row
	}
	defects := map[string]*Defect{}
	of := func(v *version, f *audit.Finding) *Defect {
		at := v.protocol + " " + key(f)
		if defects[at] == nil {
			defects[at] = &Defect{Protocol: v.protocol, Title: f.Title}
			report.Defects = append(report.Defects, defects[at])
		}
		return defects[at]
	}
	for _, ch := range changes {
		row := rows[ch.commit]
		before := readable(ch.before)
		if ch.now.reason != "" && len(before) == 0 && len(ch.before) > 0 {
			row.Refused = append(row.Refused, ch.now.protocol)
			row.Changed = slices.DeleteFunc(row.Changed, func(name string) bool { return name == ch.now.protocol })
			continue
		}
		if ch.now.reason != "" {
			row.note(ch.now.protocol, ch.now.reason)
			if len(before) > 0 {
				row.Broken = append(row.Broken, ch.now.protocol)
			}
			continue
		}
		if len(before) == 0 && len(ch.before) > 0 {
			row.note(ch.now.protocol, "before: "+ch.before[0].reason)
			continue
		}
		for _, f := range ch.now.findings {
			if len(f.Conditions) > 0 {
				continue
			}
			e := &Event{What: ch.begins(before, f), Protocol: ch.now.protocol, Title: f.Title, Finding: f}
			if e.What == Unmasked {
				// What fails later in the same run hides nothing: it is hidden itself.
				later, err := outlasts(ctx, before, ch.now, f)
				if err != nil {
					return err
				}
				if later {
					e.What = Begins
				}
			}
			if e.What == Begins {
				var err error
				if e.What, err = r.sure(ctx, before, ch.now, f); err != nil {
					return err
				}
			}
			d := of(ch.now, f)
			switch e.What {
			case Begins, Comes:
				d.Since = append(d.Since, ch.commit.ID)
				var err error
				if e.Witness, err = r.record(ctx, ch, f); err != nil {
					return err
				}
			case Unmasked:
				d.Since, e.Before = append(d.Since, ch.commit.ID), ch.instead(before, f)
			}
			if e.What != Stays || r.Against {
				row.Events = append(row.Events, e)
			}
		}
		for _, f := range findings(before) {
			absent := func(v *version) bool { return !has(v, f) }
			if len(f.Conditions) > 0 || has(ch.now, f) || slices.ContainsFunc(before, absent) {
				continue
			}
			d := of(ch.now, f)
			d.Until, d.Ending = append(d.Until, ch.commit.ID), append(d.Ending, ch.commit.Says())
			row.Events = append(row.Events, &Event{What: Ends, Protocol: d.Protocol, Title: f.Title, Finding: f})
		}
	}
	return nil
}

// findings lists the first of each.
func findings(versions []*version) (list []*audit.Finding) {
	seen := version{}
	for _, v := range versions {
		for _, f := range v.findings {
			if !has(&seen, f) {
				seen.findings = append(seen.findings, f)
			}
		}
	}
	return seen.findings
}

// begins says how a finding begins at a commit, or that it stays if a version before has it.
func (ch *change) begins(before []*version, f *audit.Finding) string {
	what := Comes
	for _, v := range before {
		if has(v, f) {
			return Stays
		}
		if what != Begins {
			what = Begins
			if ch.instead([]*version{v}, f) != "" {
				what = Unmasked
			}
		}
	}
	return what
}

// instead is a title with which the runs of a finding end in a version before, and which is not found any more.
func (ch *change) instead(before []*version, f *audit.Finding) string {
	for _, v := range before {
		for _, x := range v.tried[key(f)] {
			now := func(g *audit.Finding) bool { return same([]diagnose.Failure{x}, g) }
			if !now(f) && !slices.ContainsFunc(ch.now.findings, now) {
				return x.Failure.Title()
			}
		}
	}
	return ""
}

// record makes the run directory of what a commit began, with the reduced program.
func (r *Replay) record(ctx context.Context, ch *change, f *audit.Finding) (*Witness, error) {
	hash, err := lab.Hash(key(f))
	if err != nil {
		return nil, err
	}
	id := fmt.Sprintf("%.10s", ch.commit.ID)
	if ch.commit.ID == bugs.WorkTree {
		id = "worktree"
	}
	name := fmt.Sprintf("%s-%s-%.8s", path.Base(ch.now.protocol), id, hash)
	return r.witness.Do(lab.Case{Name: name, Depends: []any{bugs.BudgetOf(r.Audit), ch.now.identity}}, func() (*Witness, error) {
		w := &Witness{Dir: filepath.Join(r.Dir, "regressions", name)}
		if err := run.RemoveAll(w.Dir); err != nil {
			return nil, err
		}
		if err := run.MkdirAll(w.Dir); err != nil {
			return nil, err
		}
		own := *f
		own.Dir, own.Machine.SLICC = "", ch.now.root
		_, w.Size, err = bugs.Witness(ctx, w.Dir, &own, 0, r.left())
		if own.Dir != "" {
			w.Dir = own.Dir
		}
		r.Progress("%s: %s begins at %.10s", ch.now.protocol, messages.EscapeLine(f.Title), ch.commit.ID)
		return w, err
	})
}

// WriteText writes the timeline and the tables.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	regressions := &messages.Table{Header: []any{"commit", "protocol", "title", "size", "run directory"}, Left: []int{1, 2, 4}}
	for _, row := range r.Commits {
		c := row.Commit
		fmt.Fprintf(&b, "%s %.10s %s\n", c.Date, c.ID, messages.EscapeLine(c.Subject))
		for _, reason := range row.Reasons {
			fmt.Fprintf(&b, "    not known: %s\n", messages.EscapeLine(reason))
		}
		changes := 0
		for _, e := range row.Events {
			if e.What == Unsure {
				continue
			}
			changes++
			fmt.Fprintf(&b, "    %-8s %s: %s\n", e.What, e.Protocol, messages.EscapeLine(e.Title))
			if e.What == Begins {
				regressions.Rows = append(regressions.Rows, []any{c.ID[:10], e.Protocol, e.Title, e.Witness.Size, e.Witness.Dir})
			}
		}
		if changes == 0 && len(row.Reasons) == 0 {
			fmt.Fprintf(&b, "    %s changed, nothing else is found\n", messages.Plural(len(row.Changed), "protocol"))
		}
	}
	defects := &messages.Table{Header: []any{"protocol", "findable from", "until", "which says", "title"}, Left: []int{1, 2, 3, 4}}
	for _, d := range r.Defects {
		defects.Rows = append(defects.Rows, []any{d.Protocol, brief(d.Since, "before"), brief(d.Until, "today"), strings.Join(d.Ending, "; "), d.Title})
	}
	fmt.Fprintf(&b, "\n%s in %s\n", messages.Plural(r.Regressions(), "regression"), messages.Plural(len(r.Commits), "commit"))
	for _, t := range []*messages.Table{regressions, defects} {
		if len(t.Rows) > 0 {
			fmt.Fprintf(&b, "\n%s", t)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// brief are commits, abbreviated, or what stands for none.
func brief(commits []string, none string) string {
	var list []string
	for _, id := range commits {
		list = append(list, id[:10])
	}
	if list == nil {
		return none
	}
	return strings.Join(list, ", ")
}

func sorted(m map[string]*version) []string { return slices.Sorted(maps.Keys(m)) }
