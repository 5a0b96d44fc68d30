package litmus

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"ordeal/gen"
	"ordeal/gen/faults"
)

// Missed says that a text does not begin with the name of an architecture that is
// supported; nil if it does.
func Missed(text []byte) error {
	text = bytes.TrimLeft(text, " \t\r\n")
	for _, a := range architectures() {
		if bytes.HasPrefix(text, []byte(a.name+" ")) {
			return nil
		}
	}
	return errors.New("want X86_64, AArch64 or RISCV and a name in the first line")
}

// Parse reads a litmus test; name is the file's, for messages. The error lists
// what is malformed and what is not supported, by line.
func Parse(name string, data []byte) (*Test, error) {
	r := &reader{
		file: name, lines: strings.Split(string(data), "\n"), t: &Test{Condition: truth{}, types: map[Variable]width{}}, points: map[Variable]int64{},
		sizes: map[gen.LocID]int{}, narrowest: map[gen.LocID]int{}, highest: map[gen.LocID]uint64{}, mentions: map[string]int{}, candidates: map[gen.LocID][]int64{},
	}
	for _, step := range []func(){r.head, r.init, r.code, r.unfold, r.tail} {
		if step(); r.faults.Count() > 0 {
			r.unsupported()
			return nil, r.faults.Err()
		}
	}
	for _, c := range r.t.Cases {
		c.Program.Locations = r.t.names
		if err := c.Program.Validate(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	r.narrow()
	return r.t, nil
}

// narrow makes programs of RV64GC of those with Zalasr that do without.
func (r *reader) narrow() {
	zalasr := func(op gen.Op) bool { return (op.Kind == gen.Load || op.Kind == gen.Store) && op.Attr != 0 }
	for _, c := range r.t.Cases {
		if c.Program.ISA == gen.RISCV64A && !slices.ContainsFunc(c.Program.Threads, func(ops []gen.Op) bool { return slices.ContainsFunc(ops, zalasr) }) {
			c.Program.ISA = gen.RISCV64
		}
	}
}

type reader struct {
	file    string
	arch    *architecture
	lines   []string
	at      int // index of the next line
	t       *Test
	points  map[Variable]int64 // what registers hold at the start
	threads []*thread
	sizes   map[gen.LocID]int // of accesses, in bytes; 0: words and double words
	// narrowest store of a location, in bytes, and the highest value in it.
	narrowest map[gen.LocID]int
	highest   map[gen.LocID]uint64
	// mentions counts how often the code of X86_64 names a location.
	mentions map[string]int
	named    []mention
	// candidates are what loads of a location may return.
	candidates map[gen.LocID][]int64
	combined   int // paths of the threads
	faults     faults.List
}

func (r *reader) fault(line int, format string, args ...any) {
	r.faults.Addf("%s:%d: %s", r.file, line, fmt.Sprintf(format, args...))
}

// line is the next line that is not blank, without comments; ok is false at
// the end.
func (r *reader) line() (text string, number int, ok bool) {
	for r.at < len(r.lines) {
		r.at++
		text := r.lines[r.at-1]
		for {
			from := strings.Index(text, "(*")
			if from < 0 {
				break
			}
			to := strings.Index(text[from:], "*)")
			for to < 0 && r.at < len(r.lines) {
				r.at++
				text += " " + r.lines[r.at-1]
				to = strings.Index(text[from:], "*)")
			}
			if to < 0 {
				r.fault(r.at, "comment is not closed")
				return "", r.at, false
			}
			text = text[:from] + " " + text[from+to+2:]
		}
		if text = strings.TrimSpace(text); text != "" && !strings.HasPrefix(text, "#") && !strings.HasPrefix(text, "//") {
			return text, r.at, true
		}
	}
	return "", r.at, false
}

// head reads the architecture, the name and what stands before the initial
// state.
func (r *reader) head() {
	text, n, _ := r.line()
	words := strings.Fields(text)
	if len(words) != 2 {
		r.fault(max(n, 1), "want the architecture and the test's name")
		return
	}
	for _, a := range architectures() {
		if a.name == words[0] {
			r.arch, r.t.arch = a, a
		}
	}
	if r.arch == nil {
		r.fault(n, "architecture %s is not supported: want X86_64, AArch64 or RISCV", words[0])
	}
	r.t.Name = words[1]
	for r.at < len(r.lines) && !strings.HasPrefix(strings.TrimSpace(r.lines[r.at]), "{") {
		r.at++ // a description and "Key=value" lines
	}
}

func (r *reader) init() {
	text, n, ok := r.line()
	if !ok || !strings.HasPrefix(text, "{") {
		r.fault(n, "want the initial state in braces")
		return
	}
	text = text[1:]
	for {
		body, _, end := strings.Cut(text, "}")
		for item := range strings.SplitSeq(body, ";") {
			if item = strings.TrimSpace(item); item != "" {
				r.initial(item, n)
			}
		}
		if end {
			return
		}
		if text, n, ok = r.line(); !ok {
			r.fault(n, "the initial state is not closed")
			return
		}
	}
}

// initial reads one item of the initial state: a location's or register's
// value, with or without a type.
func (r *reader) initial(item string, n int) {
	left, right, assigned := strings.Cut(strings.ReplaceAll(item, ": ", ":"), "=")
	words := strings.Fields(left)
	for _, missing := range []struct{ mark, in, what string }{
		{"PTE(", item, "pages are"}, {"oa:", item, "pages are"}, {"valid:", item, "pages are"},
		{"instr:", item, "code that is written is"}, {":", right, "labels as values are"}, {"[", strings.TrimPrefix(left, "["), "arrays are"},
	} {
		if strings.Contains(missing.in, missing.mark) {
			r.fault(n, "%q of the initial state: %s not supported", item, missing.what)
			return
		}
	}
	if len(words) == 0 || len(words) > 2 {
		r.fault(n, "cannot read %q of the initial state", item)
		return
	}
	v, err := r.arch.variable(strings.TrimPrefix(words[len(words)-1], "*"))
	if err != nil {
		r.fault(n, "cannot read %q of the initial state", item)
		return
	}
	if right = strings.TrimPrefix(strings.TrimSpace(right), "&"); v.Thread < 0 {
		r.locate(v.Name)
	}
	w, typed := types[strings.TrimSuffix(words[0], "*")]
	if typed && len(words) == 2 {
		if strings.Contains(left, "*") {
			w = width{bytes: 8}
		}
		r.t.types[v] = w
	}
	if !assigned {
		return // its type
	}
	value := int64(0)
	if isName(right) {
		value = address(r.locate(right))
	} else if value, err = number(right); err != nil {
		r.fault(n, "%v", err)
	}
	if v.Thread >= 0 {
		r.points[v] = value
	} else {
		if !typed && value < 0 && value >= math.MinInt32 {
			w = width{bytes: 4} // what is not said to be longer
		}
		r.t.initial[r.locate(v.Name)] = r.t.narrow(value, width{bytes: w.bytes})
	}
}

// locate is the number of a location, a new one where it is first named.
func (r *reader) locate(name string) gen.LocID {
	if l := r.t.location(name); l >= 0 {
		return l
	}
	r.t.names, r.t.initial = append(r.t.names, name), append(r.t.initial, 0)
	return gen.LocID(len(r.t.names) - 1)
}

// tailWords begin what follows the code.
var tailWords = []string{"locations", "exists", "~", "not ", "forall", "filter"}

// code reads the threads, which stand in columns.
func (r *reader) code() {
	for r.at < len(r.lines) {
		before := r.at
		text, n, ok := r.line()
		if !ok || !strings.Contains(text, ";") || slices.ContainsFunc(tailWords, func(word string) bool { return strings.HasPrefix(text, word) }) {
			r.at = before
			break
		}
		cells := strings.Split(text[:strings.LastIndexByte(text, ';')], "|")
		if r.threads == nil {
			r.columns(cells, n)
			continue
		}
		if len(cells) != len(r.threads) {
			r.fault(n, "%d columns, want %d", len(cells), len(r.threads))
			return
		}
		for t, cell := range cells {
			r.cell(r.threads[t], strings.TrimSpace(cell), n)
		}
	}
	if r.threads == nil {
		r.fault(r.at, "want the threads in columns")
	}
	for _, row := range r.named { // locations are numbered as they are first named
		if !row.kept || r.mentions[row.name] > 1 {
			r.locate(row.name)
		}
	}
}

// errUnsupported is the error of an instruction or operand that is not read anywhere.
var errUnsupported = errors.New("is not supported")

// unsupported names the instructions that are not read either of a test whose initial state
// is not.
func (r *reader) unsupported() {
	if r.arch == nil || len(r.threads) > 0 {
		return
	}
	for r.at < len(r.lines) && !strings.Contains(r.lines[r.at], "P0") {
		r.at++
	}
	if r.code(); r.threads == nil {
		return
	}
	for number, t := range r.threads {
		for _, i := range t.code {
			m := &machine{r: r, number: number, thread: t, holds: map[string]value{}, picked: map[int][]int{}}
			m.registers, m.kept = map[string]source{}, map[string]source{}
			mnemonic, operands := splitInstruction(i.text)
			err := r.arch.instruction(m, mnemonic, operands)
			if err = cmp.Or(m.fault, err); errors.Is(err, errUnsupported) {
				r.fault(i.line, "thread %d: instruction %q: %v", number, i.text, err)
			}
		}
	}
}

// mention is a location that an instruction of X86_64 names; kept says that it may be a thread's
// own, for a register.
type mention struct {
	name string
	kept bool
}

// cell reads labels and an instruction of a thread.
func (r *reader) cell(t *thread, text string, n int) {
	for {
		name, rest, ok := strings.Cut(text, ":")
		if !ok || !isName(name) {
			break
		}
		if _, twice := t.labels[name]; twice {
			r.fault(n, "label %s stands there twice", name)
		}
		t.labels[name], text = len(t.code), strings.TrimSpace(rest)
	}
	if text == "" || strings.EqualFold(text, "nop") {
		return
	}
	t.code = append(t.code, instruction{n, text})
	if r.arch.isa != gen.X86 {
		return
	}
	_, operands := splitInstruction(text)
	for i, o := range operands {
		if name := x86Location(o); isName(name) {
			r.mentions[name]++
			r.named = append(r.named, mention{name, i == 1 && strings.HasPrefix(operands[0], "%")})
		}
	}
}

// columns reads the line "P0 | P1 ;".
func (r *reader) columns(cells []string, n int) {
	if len(cells) > gen.MaxThreads {
		r.fault(n, "%d threads, want at most %d", len(cells), gen.MaxThreads)
		return
	}
	for t, cell := range cells {
		if strings.TrimSpace(cell) != fmt.Sprintf("P%d", t) {
			r.fault(n, "column %q, want P%d", strings.TrimSpace(cell), t)
		}
		r.threads = append(r.threads, &thread{labels: map[string]int{}})
	}
}

func (r *reader) tail() {
	var rest bytes.Buffer
	first := 0
	for {
		text, n, ok := r.line()
		if !ok {
			break
		}
		if words := strings.Fields(text); len(words) == 2 && Missed([]byte(text)) == nil {
			r.fault(n, "another test, %s, begins: want one a file", words[1])
			return
		}
		if first == 0 {
			first = n
		}
		rest.WriteString(text + " ")
	}
	text := strings.TrimSpace(rest.String())
	var more []Variable
	if list, ok := strings.CutPrefix(text, "locations"); ok {
		body, after, closed := strings.Cut(list, "]")
		if !closed || !strings.HasPrefix(strings.TrimSpace(body), "[") {
			r.fault(first, "want locations in brackets")
			return
		}
		for item := range strings.SplitSeq(strings.TrimSpace(body)[1:], ";") {
			if item = strings.TrimSpace(item); item != "" {
				v, err := r.arch.variable(item)
				if err != nil {
					r.fault(first, "%v", err)
				} else if v.Thread < 0 && !r.t.held(v) {
					r.locate(v.Name) // it may be that no thread accesses it
				}
				more = append(more, v)
			}
		}
		text = strings.TrimSpace(after)
	}
	if r.t.names == nil {
		r.locate("none") // programs have locations, a test of registers alone has not
	}
	r.condition(text, first)
	if r.faults.Count() > 0 {
		return
	}
	r.t.see(more)
	r.checkSeen(first)
}

func (r *reader) condition(text string, n int) {
	if text == "" {
		return
	}
	for _, q := range []Quantifier{NotExists, Exists, Forall} {
		for _, word := range []string{q.String(), strings.Replace(q.String(), "~", "~ ", 1), strings.Replace(q.String(), "~", "not ", 1)} {
			if body, ok := strings.CutPrefix(text, word); ok {
				c, err := r.arch.proposition(strings.TrimRight(body, "; "), r.t)
				if err != nil {
					r.fault(n, "%v", err)
					return
				}
				r.t.Quantifier, r.t.Condition = q, c
				return
			}
		}
	}
	if strings.HasPrefix(text, "filter") {
		r.fault(n, "filters are not supported")
		return
	}
	r.fault(n, "cannot read %q: want exists, ~exists or forall and a condition", text)
}

// checkSeen refuses variables that the test does not have.
func (r *reader) checkSeen(n int) {
	for _, v := range r.t.Seen {
		if v.Thread < 0 && r.t.location(v.Name) < 0 && !r.t.held(v) {
			r.fault(n, "the test has no location %s", v.Name)
		}
		if v.Thread >= len(r.threads) {
			r.fault(n, "the test has no thread %d", v.Thread)
		}
	}
	r.t.Seen = slices.Clip(r.t.Seen)
}
