package mutate

import (
	"fmt"
	"slices"
	"strings"
)

// joint stands between the edits of a mutant that has several.
const joint = " + "

const maxNearest = 3

// Find makes the mutant with the name id, listed or not. The error for a name
// that does not fit the protocol says where it does not and lists the mutants
// with the nearest names.
func (p *Catalogue) Find(id string) (Mutant, error) {
	var whole Mutant
	rest := p
	for i, part := range splitID(id) {
		if i > 0 { // later edits work on the result of the earlier ones
			var err error
			if rest, err = NewCatalogue(p.Tree(whole)); err != nil {
				return Mutant{}, fmt.Errorf("mutant %s: %w", whole.ID, err)
			}
		}
		m, err := rest.single(part)
		if err != nil {
			return Mutant{}, &unknown{p, part, err}
		}
		if i == 0 {
			whole = m
			continue
		}
		whole.ID += joint + m.ID
		whole.changes = append(whole.changes, m.changes...)
		whole.Equivalent, whole.Evictions = "", whole.Evictions && m.Evictions
	}
	return whole, nil
}

func splitID(id string) []string {
	name, _, _ := strings.Cut(id, "/")
	parts := strings.Split(id, joint+name+"/")
	for i := range parts[1:] {
		parts[i+1] = name + "/" + parts[i+1]
	}
	return parts
}

func (p *Catalogue) single(id string) (Mutant, error) {
	parts := strings.SplitN(id, "/", 4)
	if len(parts) != 4 {
		return Mutant{}, fmt.Errorf("want PROTOCOL/MACHINE/PLACE/EDIT")
	}
	if parts[0] != p.Name {
		return Mutant{}, fmt.Errorf("the protocol is %s", p.Name)
	}
	m := p.machine(parts[1])
	if m == nil {
		return Mutant{}, fmt.Errorf("protocol %s has no machine %s", p.Name, parts[1])
	}
	s, err := m.find(parts[2])
	if err != nil {
		return Mutant{}, err
	}
	e, err := parseEdit(parts[3])
	if err != nil {
		return Mutant{}, err
	}
	c, err := m.change(s, e)
	if err != nil {
		return Mutant{}, err
	}
	return p.mutant(m, s, point{edit: e, change: c}), nil
}

func (m *machine) find(place string) (site, error) {
	if pair, ok := strings.CutPrefix(place, "("); ok {
		state, event, ok := strings.Cut(strings.TrimSuffix(pair, ")"), ",")
		if !ok {
			return site{}, fmt.Errorf("place %q: want (STATE,EVENT)", place)
		}
		return site{state: state, event: event, row: m.row(state, event)}, nil
	}
	s, ok := m.site(place)
	if !ok {
		return site{}, fmt.Errorf("machine %s has no action, port or function %s to edit", m.name, place)
	}
	return s, nil
}

// unknown is the error for a name of no mutant. The nearest names are looked for when it is printed,
// since a search for repairs tries many names.
type unknown struct {
	catalogue *Catalogue
	id        string
	err       error
}

func (u *unknown) Unwrap() error { return u.err }

func (u *unknown) Error() string {
	var list []string
	for _, m := range u.catalogue.Mutants() {
		list = append(list, m.ID)
	}
	near := nearest(u.id, list)
	if len(near) == 0 {
		return fmt.Sprintf("mutant %s: %v", u.id, u.err)
	}
	return fmt.Sprintf("mutant %s: %v; nearest are\n  %s", u.id, u.err, strings.Join(near, "\n  "))
}

// nearest are the names that share most with id: its parts first, then their
// letters.
func nearest(id string, list []string) []string {
	score := func(name string) int {
		a, b := strings.SplitN(id, "/", 4), strings.SplitN(name, "/", 4)
		sum := 0
		for i := range min(len(a), len(b)) {
			if a[i] == b[i] {
				sum += 1000
				continue
			}
			sum += 900 * common(a[i], b[i]) / max(len(a[i]), len(b[i]), 1)
		}
		return sum
	}
	scores := map[string]int{}
	for _, name := range list {
		scores[name] = score(name)
	}
	slices.SortStableFunc(list, func(a, b string) int { return scores[b] - scores[a] })
	return list[:min(maxNearest, len(list))]
}

// common counts the letters at the start and at the end that two words share.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	end := 0
	for end < min(len(a), len(b))-n && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return n + end
}
