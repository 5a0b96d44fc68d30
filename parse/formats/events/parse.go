package events

import (
	"bytes"
	"fmt"
	"slices"

	"ordeal/gen/faults"
)

// Magic is what a text of this form begins with.
const Magic = "ordeal-events "

// Parse reads the text form of a sequence (see Sequence.Text). Words are
// separated by any white space, lines may end in CR LF, # starts a
// comment, blank lines mean nothing; everything else is as Text writes it. A
// sequence may end inside transactions and with writes that are not
// committed. The error joins all faults, each with name and line; name is that
// of the file, for messages only.
func Parse(name string, data []byte) (*Sequence, error) {
	r := &reader{name: name}
	for len(data) > 0 && r.part != refused {
		line, rest, _ := bytes.Cut(data, []byte{'\n'})
		data = rest
		r.line++
		line, _, _ = bytes.Cut(line, []byte{'#'})
		r.words = slices.AppendSeq(r.words[:0], bytes.FieldsSeq(line))
		if len(r.words) > 0 {
			r.readLine(len(data))
		}
	}
	if r.part < body {
		r.fault("the text ends where %s is expected", partNames[r.part])
	}
	if err := r.faults.Err(); err != nil {
		return nil, err
	}
	return r.builder.Sequence(), nil
}

// part is what a reader expects next.
type part uint8

const (
	version part = iota
	sort
	threads
	variables
	body
	refused // the text is no sequence: the rest is not read
)

var partNames = [...]string{
	version: "the line \"" + textVersion + "\"", sort: "execution or trace",
	threads: "the line of threads", variables: "the line of variables",
}

type reader struct {
	name      string
	line      int
	words     [][]byte
	part      part
	execution bool
	names     [2][]string // threads, variables
	index     [2]map[string]int
	builder   *Builder
	faults    faults.List
}

func (r *reader) fault(format string, args ...any) {
	r.faults.Addf("parse %s:%d: %w", r.name, r.line, fmt.Errorf(format, args...))
}

// readLine reads a line of at least one word; left is the number of bytes
// after it.
func (r *reader) readLine(left int) {
	first := string(r.words[0])
	switch {
	case r.part == body:
		r.readEvent()
		return
	case r.part == version && string(bytes.Join(r.words, []byte{' '})) == textVersion:
	case r.part == sort && len(r.words) == 1 && (first == wordExecution || first == wordTrace):
		r.execution = first == wordExecution
	case r.part == threads && first == wordThreads:
		r.readNames(0, "thread")
	case r.part == variables && first == wordVariables:
		r.readNames(1, "variable")
		r.builder = NewBuilder(r.execution, r.names[0], r.names[1])
		r.builder.Grow(left / len("0 read x\n"))
	default:
		r.fault("%q where %s is expected", first, partNames[r.part])
		r.part = refused
		return
	}
	r.part++
}

func (r *reader) readNames(which int, noun string) {
	r.index[which] = make(map[string]int, len(r.words)-1)
	for i, word := range r.words[1:] {
		r.names[which] = append(r.names[which], string(word))
		r.index[which][string(word)] = i
	}
	if err := checkNames(noun, r.names[which]); err != nil {
		r.fault("%w", err)
	}
}

func (r *reader) readEvent() {
	t, ok := r.index[0][string(r.words[0])]
	if !ok {
		r.fault("unknown thread %q", r.words[0])
		return
	}
	if len(r.words) < 2 {
		r.fault("nothing after thread %s", r.words[0])
		return
	}
	word, rest := string(r.words[1]), r.words[2:]
	kind := parseKind(word)
	want := 0
	if kind.Accesses() {
		want = 1
	}
	switch {
	case kind == KindUnknown && word != wordBegin && word != wordEnd:
		r.fault("unknown event %q", word)
		return
	case len(rest) != want:
		r.fault("%s takes %d words after it, not %d", word, want, len(rest))
		return
	}
	x := -1
	if want > 0 {
		if x, ok = r.index[1][string(rest[0])]; !ok {
			r.fault("unknown variable %q", rest[0])
			return
		}
	}
	if err := r.apply(t, word, kind, x); err != nil {
		r.fault("%w", err)
	}
}

func (r *reader) apply(t int, word string, kind Kind, x int) error {
	switch {
	case word == wordBegin:
		return r.builder.Begin(t)
	case word == wordEnd:
		return r.builder.End(t)
	case kind != Commit:
		return r.builder.Add(t, kind, x)
	}
	if oldest := r.builder.Oldest(t); oldest >= 0 && oldest != x {
		return fmt.Errorf("commit of %s by thread %s, whose oldest write is to %s", r.names[1][x], r.names[0][t], r.names[1][oldest])
	}
	return r.builder.Commit(t)
}

func parseKind(word string) Kind { return Kind(max(0, slices.Index(kindNames[:], word))) }

const maxNameBytes = 64

// checkNames reports the first name that is malformed or repeated.
func checkNames(noun string, names []string) error {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		switch {
		case !wellFormed(name):
			return fmt.Errorf("%s name %q: want visible ASCII without #, at most %d bytes", noun, name, maxNameBytes)
		case seen[name]:
			return fmt.Errorf("%s %s is named twice", noun, name)
		}
		seen[name] = true
	}
	return nil
}

func wellFormed(name string) bool {
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c >= 0x7f || c == '#' {
			return false
		}
	}
	return name != "" && len(name) <= maxNameBytes
}
