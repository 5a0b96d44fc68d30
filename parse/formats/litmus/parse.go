package litmus

import (
	"bytes"
	"errors"
	"fmt"
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
		file: name, lines: strings.Split(string(data), "\n"),
		t: &Test{
			Condition: truth{}, values: map[gen.Value]int64{}, registers: map[Variable]source{}, kept: map[string]kept{},
			Program: &gen.Program{Layout: gen.Spread},
		},
		points: map[Variable]string{},
	}
	r.head()
	if r.faults.Count() == 0 {
		r.init()
	}
	if r.faults.Count() == 0 {
		r.code()
	}
	if r.faults.Count() == 0 {
		r.dropKept()
	}
	if r.faults.Count() == 0 {
		code := r.at
		if r.tail(); len(r.t.Program.Locations) == 0 {
			r.fault(code, "the test has no location")
		}
	}
	if err := r.faults.Err(); err != nil {
		return nil, err
	}
	r.narrow()
	if err := r.t.Program.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r.t, nil
}

// narrow makes a program of RV64GC of one with Zalasr that does without.
func (r *reader) narrow() {
	zalasr := func(op gen.Op) bool { return (op.Kind == gen.Load || op.Kind == gen.Store) && op.Attr != 0 }
	if r.t.Program.ISA == gen.RISCV64A && !slices.ContainsFunc(r.t.Program.Threads, func(ops []gen.Op) bool { return slices.ContainsFunc(ops, zalasr) }) {
		r.t.Program.ISA = gen.RISCV64
	}
}

type reader struct {
	file    string
	arch    *architecture
	lines   []string
	at      int // index of the next line
	t       *Test
	points  map[Variable]string // locations that registers point at
	threads []*thread
	stored  gen.Value
	faults  faults.List
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
		if text = strings.TrimSpace(text); text != "" {
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
			r.arch, r.t.Program.ISA = a, a.isa
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
	left, right, assigned := strings.Cut(item, "=")
	words := strings.Fields(left)
	if len(words) == 0 || len(words) > 2 {
		r.fault(n, "cannot read %q of the initial state", item)
		return
	}
	v, err := r.arch.variable(words[len(words)-1])
	if err != nil {
		r.fault(n, "cannot read %q of the initial state", item)
		return
	}
	right = strings.TrimSpace(right)
	if v.Thread >= 0 {
		if !assigned {
			return // its type
		}
		if isName(right) {
			r.locate(right)
			r.points[v] = right
			return
		}
		value, err := number(right)
		if err != nil {
			r.fault(n, "%v", err)
		}
		r.t.registers[v] = source{index: -1, value: value}
		return
	}
	loc := r.locate(v.Name)
	if assigned {
		if r.t.initial[loc], err = number(right); err != nil {
			r.fault(n, "%v", err)
		}
	}
}

// locate is the number of a location, a new one where it is first named.
func (r *reader) locate(name string) gen.LocID {
	if l := r.t.location(name); l >= 0 {
		return l
	}
	r.t.Program.Locations = append(r.t.Program.Locations, name)
	r.t.initial = append(r.t.initial, 0)
	return gen.LocID(len(r.t.Program.Locations) - 1)
}

// code reads the threads, which stand in columns.
func (r *reader) code() {
	for r.at < len(r.lines) {
		before := r.at
		text, n, ok := r.line()
		if !ok || !strings.Contains(text, ";") || strings.HasPrefix(text, "locations") {
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
			if cell = strings.TrimSpace(cell); cell != "" {
				if err := r.arch.instruction(r, r.threads[t], cell); err != nil {
					r.fault(n, "thread %d: %v", t, err)
				}
			}
		}
	}
	if r.threads == nil {
		r.fault(r.at, "want the threads in columns")
		return
	}
	for _, t := range r.threads {
		if err := t.finish(); err != nil {
			r.fault(r.at, "thread %d: %v", t.number, err)
		}
		r.t.Program.Threads = append(r.t.Program.Threads, t.ops)
		for name, s := range t.registers {
			r.t.registers[Variable{t.number, name}] = s
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
		r.threads = append(r.threads, r.newThread(t))
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
				} else if _, ok := r.t.kept[v.Name]; v.Thread < 0 && !ok {
					r.locate(v.Name) // it may be that no thread accesses it
				}
				more = append(more, v)
			}
		}
		text = strings.TrimSpace(after)
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
				c, err := r.arch.proposition(body)
				if err != nil {
					r.fault(n, "%v", err)
					return
				}
				r.t.Quantifier, r.t.Condition = q, c
				return
			}
		}
	}
	r.fault(n, "cannot read %q: want exists, ~exists or forall and a condition", text)
}

// checkSeen refuses variables that the test does not have.
func (r *reader) checkSeen(n int) {
	for _, v := range r.t.Seen {
		if _, _, held := r.t.holds(v); v.Thread < 0 && r.t.location(v.Name) < 0 && !held {
			r.fault(n, "the test has no location %s", v.Name)
		}
		if v.Thread >= len(r.threads) {
			r.fault(n, "the test has no thread %d", v.Thread)
		}
		if _, ok := r.points[v]; ok {
			r.fault(n, "register %s holds an address", v)
		}
	}
	r.t.Seen = slices.Clip(r.t.Seen)
}
