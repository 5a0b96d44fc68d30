// Package bugs measures how many real bugs of gem5's coherence protocols are found
// again. A list names fixes of gem5's history, see List; for each of them the
// protocol as it was without the fix is made from a clone of gem5's repository, and
// is searched for a finding that the protocol with the fix does not have.
package bugs

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"ordeal/campaigns/internal/messages"
	"ordeal/sim/lazyregexp"
)

// List is a list of bugs. It has facts only: commits, and names of files, states,
// events and actions.
type List struct {
	// Base is the commit whose protocols are the ones with all fixes, unless a
	// bug names another commit.
	Base string `yaml:"base"`
	// Renames are names of today by those of the past.
	Renames map[string]string `yaml:"renames"`
	Bugs    []Bug             `yaml:"bugs"`
	// Accepted are findings that audits of the base show and that are no bugs of its
	// protocols.
	Accepted []Accepted `yaml:"accepted"`
}

// Accepted are findings that are no bugs of a protocol, as what functional reads do not
// find while a line is under way, or what a machine shows that gem5 cannot have.
type Accepted struct {
	// Protocol is named as in Bug; * stands for any text.
	Protocol string `yaml:"protocol"`
	// Titles match findings; * stands for any text.
	Titles []string `yaml:"titles"`
	// About says why they are no bugs.
	About string `yaml:"about"`
	_     struct{}
}

// Bug is a bug that was fixed, or one that is still there.
type Bug struct {
	ID string `yaml:"id" json:"id"`
	// Protocol is the root file of the protocol in gem5's directory of
	// protocols, without .slicc: as MI_example or chi/CHI.
	Protocol string `yaml:"protocol" json:"protocol"`
	// Fix is the commit with the fix; empty for a bug that is still there.
	Fix   string `yaml:"fix" json:"fix,omitempty"`
	Issue string `yaml:"issue" json:"issue,omitempty"` // number in gem5's tracker
	About string `yaml:"about" json:"about"`
	// Verdict is one of Verdicts, of a bug that is still there.
	Verdict string `yaml:"verdict" json:"verdict,omitempty"`
	// Gem5 is the command line of gem5's own scripts that shows such a bug, or why none does.
	Gem5 string `yaml:"gem5" json:"gem5,omitempty"`
	// Shown is the run of a gem5 binary that showed it.
	Shown string `yaml:"shown" json:"shown,omitempty"`
	// Cause is the kind of mistake, one of Causes.
	Cause string `yaml:"cause" json:"cause"`
	// Needs are what a program or a machine must have to show the bug, some of
	// Needs. Nothing is configured by them: the table of results groups by them.
	Needs []string `yaml:"needs" json:"needs,omitempty"`
	// Equivalent is why no access can tell the protocol without the fix from the
	// one with it; empty for a bug that can be seen.
	Equivalent string `yaml:"equivalent" json:"equivalent,omitempty"`
	// Title is that of the finding, with * for any text, where the bug is known
	// to have one: required without a fix, unused with one.
	Title string `yaml:"title" json:"title,omitempty"`
	// Also are titles of other findings that a bug that is still there has.
	Also []string `yaml:"also" json:"also,omitempty"`

	// What follows says how the protocol without the fix is made. By default the
	// fix is taken out of the protocol of List.Base, and where later changes do
	// not permit that, the protocols are those of the commit before the fix and of
	// the fix. At most one may be given.

	// Hunks of the fix to take out, by file and counted from 1; others
	// stay.
	Hunks map[string][]int `yaml:"hunks" json:"hunks,omitempty"`
	// Edits take the fix out of the base by name.
	Edits []Edit `yaml:"edits" json:"edits,omitempty"`
	// Before and After are the commits without and with the fix.
	Before string `yaml:"before" json:"before,omitempty"`
	After  string `yaml:"after" json:"after,omitempty"`
	// Repair is a proposed repair of a bug that is still there, as edits of the base.
	Repair []Edit `yaml:"repair" json:"repair,omitempty"`
	// Base is the commit whose protocol has a bug that is still there, if it is not that of the list.
	Base string `yaml:"base" json:"base,omitempty"`
	// Versions are those of gem5, in order, that have the code which the proposed repair changes.
	Versions []string `yaml:"versions" json:"versions,omitempty"`
	// Run shows a bug that is still there, where a search does not.
	Run *Run `yaml:"run" json:"run,omitempty"`
	_   struct{}
}

// Causes lists the kinds of mistake.
func Causes() []string {
	return []string{
		"missing row",      // no transition for an event in a state
		"wrong row",        // wrong actions or next state
		"missing notice",   // a core is not notified of a lost line
		"resource",         // transactions, buffers: not checked, leaked
		"message",          // a field or destination of a message
		"data",             // data or its validity
		"progress",         // something waits for ever, or is woken too seldom
		"statistics",       // what no access can tell
		"functional",       // functional accesses
		"policy",           // replacement policy, allocation
		"not yet analysed", // as read from the title of the commit
	}
}

// Verdicts lists in which machines of gem5 a bug shows: with options that its scripts have; with those
// and a program, a load or a machine that not everybody has; only with a tester that randomises or a
// network that reorders; or with a parameter that no script sets.
func Verdicts() []string { return []string{"certain", "options", "tester", "none"} }

// networkOrder is what a bug needs that a network shows which keeps no order; others do not count
// as found so.
const networkOrder = "network-order"

// Needs lists what a bug may need to show, beside loads and stores of several
// cores.
func Needs() []string {
	return []string{
		"atomics", "banks", "capacity", "dma", "evictions", "exclusive-caches", "fetch", "flush", "functional", "levels", "llsc", "locks", networkOrder,
		"parameters", "prefetch", "replacements", "speculation", "starvation", "trace",
	}
}

//go:embed history.yaml
var historyYAML []byte

// History is the list of bugs of gem5's history that comes with this package.
func History() (*List, error) { return Read("history.yaml", bytes.NewReader(historyYAML)) }

// maxList bounds the length of a list, in bytes.
const maxList = 8 << 20

// Read reads a list. The error joins all faults, with lines.
func Read(name string, r io.Reader) (*List, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxList+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(data) > maxList {
		return nil, fmt.Errorf("read %s: longer than %d bytes", name, maxList)
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	var l List
	if err := d.Decode(&l); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	var lines struct {
		Bugs     []yaml.Node `yaml:"bugs"`
		Accepted []yaml.Node `yaml:"accepted"`
	}
	if err := yaml.Unmarshal(data, &lines); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	var errs []error
	if !commit().MatchString(l.Base) {
		errs = append(errs, fmt.Errorf("%s: base %q: want a commit as 7 to 40 hexadecimal digits", name, l.Base))
	}
	seen := map[string]int{}
	for i := range l.Bugs {
		b, line := &l.Bugs[i], lines.Bugs[i].Line
		for _, fault := range b.faults() {
			errs = append(errs, fmt.Errorf("%s:%d: bug %q: %w", name, line, b.ID, fault))
		}
		if first, ok := seen[b.ID]; ok {
			errs = append(errs, fmt.Errorf("%s:%d: bug %q: the ID is that of line %d", name, line, b.ID, first))
		} else {
			seen[b.ID] = line
		}
	}
	for i := range l.Accepted {
		if a := &l.Accepted[i]; a.Protocol == "" || len(a.Titles) == 0 || a.About == "" {
			errs = append(errs, fmt.Errorf("%s:%d: accepted: want protocol, titles and about", name, lines.Accepted[i].Line))
		}
	}
	if len(l.Bugs) == 0 {
		errs = append(errs, fmt.Errorf("%s: no bugs", name))
	}
	return &l, errors.Join(errs...)
}

// The forms of commits, IDs and names of protocols.
var (
	commit       = lazyregexp.New(`^[0-9a-f]{7,40}$`)
	identifier   = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	protocolName = lazyregexp.New(`^([A-Za-z0-9_]+/)*[A-Za-z0-9_]+$`)
)

// faults lists what is wrong with a bug.
func (b *Bug) faults() []error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !identifier().MatchString(b.ID) {
		fault("id: want letters, digits, '.', '_' and '-'")
	}
	if !protocolName().MatchString(b.Protocol) {
		fault("protocol %q: want the name of a root file without .slicc, as MI_example or chi/CHI", b.Protocol)
	}
	for _, c := range []struct{ key, id string }{{"fix", b.Fix}, {"before", b.Before}, {"after", b.After}, {"base", b.Base}} {
		if c.id != "" && !commit().MatchString(c.id) {
			fault("%s %q: want a commit as 7 to 40 hexadecimal digits", c.key, c.id)
		}
	}
	if !slices.Contains(Causes(), b.Cause) {
		fault("cause %q: want one of %s%s", b.Cause, strings.Join(Causes(), ", "), messages.Hint(b.Cause, Causes()))
	}
	for _, n := range b.Needs {
		if !slices.Contains(Needs(), n) {
			fault("needs %q: want some of %s%s", n, strings.Join(Needs(), ", "), messages.Hint(n, Needs()))
		}
	}
	if b.Verdict != "" && !slices.Contains(Verdicts(), b.Verdict) {
		fault("verdict %q: want one of %s%s", b.Verdict, strings.Join(Verdicts(), ", "), messages.Hint(b.Verdict, Verdicts()))
	}
	ways := 0
	for _, given := range []bool{b.Hunks != nil, b.Edits != nil, b.Before != ""} {
		if given {
			ways++
		}
	}
	switch {
	case ways > 1:
		fault("want at most one of hunks, edits and before")
	case b.Fix == "" && ways == 0 && b.Title == "":
		fault("want fix, or title for a bug that is still there")
	case b.Hunks != nil && b.Fix == "":
		fault("hunks: want fix")
	case b.After != "" && b.Before == "":
		fault("after: want before")
	}
	for _, c := range []struct {
		key   string
		given bool
	}{
		{"repair", b.Repair != nil}, {"also", b.Also != nil}, {"run", b.Run != nil}, {"base", b.Base != ""}, {"versions", b.Versions != nil},
	} {
		if c.given && !b.Unfixed() {
			fault("%s: want a bug that is still there", c.key)
		}
	}
	if b.Run != nil {
		for _, err := range b.Run.faults() {
			fault("run: %w", err)
		}
	}
	for _, list := range []struct {
		what  string
		edits []Edit
	}{{"edit", b.Edits}, {"repair: edit", b.Repair}} {
		for i := range list.edits {
			if err := list.edits[i].validate(); err != nil {
				fault("%s %d: %w", list.what, i+1, err)
			}
		}
	}
	return errs
}

// Unfixed reports whether the bug is still there: it has no protocol with a fix.
func (b *Bug) Unfixed() bool {
	return b.Fix == "" && b.Edits == nil && b.Before == ""
}

// Select lists the bugs with the given IDs, in their order in the list; all
// without any.
func (l *List) Select(ids []string) ([]*Bug, error) {
	var list []*Bug
	var known []string
	for i := range l.Bugs {
		b := &l.Bugs[i]
		known = append(known, b.ID)
		if len(ids) == 0 || slices.Contains(ids, b.ID) {
			list = append(list, b)
		}
	}
	for _, id := range ids {
		if !slices.Contains(known, id) {
			return nil, fmt.Errorf("unknown bug %q%s", id, messages.Hint(id, known))
		}
	}
	return list, nil
}
