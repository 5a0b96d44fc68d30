package gen

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"

	"ordeal/gen/faults"
)

// Bounds on the text of a program: one that is something else, or of ill will,
// takes its reader little time and memory.
const (
	// maxWordBytes bounds a word: names and numbers are shorter.
	maxWordBytes = 2 * MaxNameBytes
	// maxWords bounds the words of a line: the names of all locations.
	maxWords = MaxLocations + 1
)

// TextLimit is the length of the longest text that Parse reads in some memory,
// both in bytes: its tables take 8 to 16 times the text.
func TextLimit(memory int64) int64 { return memory / 16 }

// Parse reads the text form of a program (see Text) and validates it. Lines
// may be indented, words separated by any white space, and lines may end in
// CR LF; # starts a comment; blank lines mean nothing. The
// error joins everything that is wrong, each fault with name and line, until
// there are too many; name is that of the file, for messages only.
func Parse(name string, data []byte) (*Program, error) {
	r := reader{name: name, program: new(Program)}
	for len(data) > 0 && r.expect != nothing {
		line, rest, _ := bytes.Cut(data, []byte{'\n'})
		data = rest
		r.line++
		line, _, _ = bytes.Cut(line, []byte{'#'})
		if err := r.split(line); err != nil {
			r.fault("%w", err)
		} else if len(r.words) > 0 {
			r.readLine()
		}
		if r.faults.Full() {
			r.faults.Stop()
			return nil, r.faults.Err()
		}
	}
	r.finish()
	if err := r.faults.Err(); err != nil {
		return nil, err
	}
	return r.program, nil
}

// expectation is the next part of the text that a reader waits for.
type expectation uint8

const (
	version expectation = iota
	layout
	locations
	threads
	nothing // the text is not a program: the rest is not read
)

var expectationNames = [...]string{
	version: "line \"" + textVersion + "\"", layout: "layout", locations: "locations", threads: "thread 0",
}

type reader struct {
	name    string
	line    int // number of the current line, from 1
	words   [][]byte
	expect  expectation
	program *Program
	locs    map[string]LocID
	lines   [][]int32 // the line of each operation
	heads   []int     // the line of each thread's head
	begun   int       // the line of the open transaction's begin, 0 for none
	faults  faults.List
}

func (r *reader) fault(format string, args ...any) { r.faultAt(r.line, format, args...) }

// split splits a line into words.
func (r *reader) split(line []byte) error {
	r.words = r.words[:0]
	for word := range bytes.FieldsSeq(line) {
		switch {
		case len(r.words) == maxWords:
			return fmt.Errorf("more than %d words", maxWords)
		case len(word) > maxWordBytes:
			return fmt.Errorf("a word of %d bytes, which begins %q: want at most %d", len(word), word[:maxWordBytes/4], maxWordBytes)
		}
		r.words = append(r.words, word)
	}
	return nil
}

func (r *reader) faultAt(line int, format string, args ...any) {
	r.faults.Addf("parse %s:%d: %w", r.name, line, fmt.Errorf(format, args...))
}

func (r *reader) readLine() {
	switch {
	case r.expect == version:
		r.readVersion()
	case r.expect == layout && string(r.words[0]) == wordISA && r.program.ISA == X86:
		r.readISA()
	case r.expect == layout && string(r.words[0]) == "layout":
		r.readLayout()
	case r.expect == locations && string(r.words[0]) == "locations":
		r.readLocations()
	case r.expect == threads && string(r.words[0]) == "thread":
		r.readThread()
	case r.expect == threads && len(r.program.Threads) > 0:
		if word := string(r.words[0]); word == wordBegin || word == wordEnd {
			r.readTransaction(word)
		} else {
			r.readOp()
		}
	default:
		r.fault("%q where the %s is expected", r.words[0], expectationNames[r.expect])
		r.expect = nothing
	}
}

func (r *reader) readVersion() {
	if text := string(bytes.Join(r.words, []byte{' '})); text != textVersion {
		r.fault("no program of this version: want the line %q first", textVersion)
		r.expect = nothing
		return
	}
	r.expect = layout
}

func (r *reader) readISA() {
	if len(r.words) != 2 {
		r.fault("isa takes one name, not %d", len(r.words)-1)
		return
	}
	isa, err := ParseISA(string(r.words[1]))
	if err != nil {
		r.fault("%w", err)
	}
	r.program.ISA = isa
}

func (r *reader) readLayout() {
	r.expect = locations
	if len(r.words) != 2 {
		r.fault("layout takes one name, not %d", len(r.words)-1)
		return
	}
	l, err := ParseLayout(string(r.words[1]))
	if err != nil {
		r.fault("%w", err)
	}
	r.program.Layout = l
}

func (r *reader) readLocations() {
	r.expect = threads
	r.locs = make(map[string]LocID, len(r.words)-1)
	for i, word := range r.words[1:] {
		name := string(word)
		r.program.Locations = append(r.program.Locations, name)
		r.locs[name] = LocID(i)
	}
	checkNames(r.program.Locations, func(err error) { r.fault("%w", err) })
}

func (r *reader) readThread() {
	r.checkClosed()
	want := len(r.program.Threads)
	if len(r.words) < 2 || string(r.words[1]) != strconv.Itoa(want) {
		r.fault("threads are numbered in order: want \"thread %d\"", want)
	} else if a, err := parseAgent(r.words[2:]); err != nil {
		r.fault("%w", err)
	} else if a.Kind != AgentCore {
		for len(r.program.Agents) < want {
			r.program.Agents = append(r.program.Agents, Agent{})
		}
		r.program.Agents = append(r.program.Agents, a)
	}
	r.program.Threads = append(r.program.Threads, nil)
	r.lines = append(r.lines, nil)
	r.heads = append(r.heads, r.line)
}

func (r *reader) readTransaction(word string) {
	t := len(r.program.Threads) - 1
	here := int32(len(r.program.Threads[t]))
	switch {
	case len(r.words) > 1:
		r.fault("%s takes no words after it", word)
	case word == wordBegin:
		r.checkClosed()
		r.begun = r.line
		for len(r.program.Transactions) <= t {
			r.program.Transactions = append(r.program.Transactions, nil)
		}
		r.program.Transactions[t] = append(r.program.Transactions[t], Transaction{First: here})
	case r.begun == 0:
		r.fault("end of a transaction that has not begun")
	default:
		r.begun = 0
		list := r.program.Transactions[t]
		list[len(list)-1].End = here
		if list[len(list)-1].First == here && r.faults.Count() == 0 {
			r.fault("the transaction has no operation")
		}
	}
}

// checkClosed reports a transaction that is open where it may not be.
func (r *reader) checkClosed() {
	if r.begun > 0 {
		r.fault("the transaction of line %d has no end", r.begun)
		r.begun = 0
	}
}

func (r *reader) readOp() {
	op, err := r.parseOp()
	if err == nil {
		err = checkOp(op, len(r.program.Locations))
	}
	if err != nil {
		r.fault("%w", err)
		return
	}
	if r.line > math.MaxInt32 {
		r.fault("too many lines")
		r.expect = nothing
		return
	}
	t := len(r.program.Threads) - 1
	r.program.Threads[t] = append(r.program.Threads[t], op)
	r.lines[t] = append(r.lines[t], int32(r.line))
}

func (r *reader) parseOp() (Op, error) {
	op := Op{Kind: parseOpKind(r.words[0])}
	if op.Kind == OpUnknown {
		return op, fmt.Errorf("unknown operation %q", r.words[0])
	}
	rest := r.words[1:]
	if op.Kind == FullFence && len(rest) > 0 && FenceByName(string(rest[0])) != 0 {
		op.Kind, op.Value, rest = PartialFence, FenceByName(string(rest[0])), rest[1:]
	}
	want := 0
	if op.Kind.Reads() || op.Kind.Writes() {
		want++
	}
	if op.Kind.hasValue() {
		want++
	}
	if len(rest) > want && (r.program.ISA != X86 || isAttribute(rest[want])) {
		behind := rest[want:]
		rest = rest[:want]
		if err := op.parseBehind(behind); err != nil {
			return op, err
		}
	}
	if len(rest) != want {
		return op, fmt.Errorf("%s takes %d words after it, not %d", op.Kind, want, len(rest))
	}
	if op.Kind.Reads() || op.Kind.Writes() {
		loc, ok := r.locs[string(rest[0])]
		if !ok {
			return op, fmt.Errorf("unknown location %q", rest[0])
		}
		op.Loc, rest = loc, rest[1:]
	}
	if op.Kind.hasValue() {
		v, ok := parseValue(rest[0])
		if !ok {
			return op, fmt.Errorf("%s %q: want a decimal number", valueNoun(op.Kind), rest[0])
		}
		op.Value = v
	}
	return op, nil
}

// isAttribute reports whether a word is an annotation or a kind of dependency.
func isAttribute(word []byte) bool {
	return slices.Contains(attrNames, string(word)) || slices.Contains(depNames, string(word))
}

// parseBehind reads annotations and a dependency.
func (op *Op) parseBehind(words [][]byte) error {
	take := func(names []string) (set uint8) {
		for len(words) > 0 {
			i := slices.Index(names, string(words[0]))
			if i < 0 {
				break
			}
			set |= 1 << i
			words = words[1:]
		}
		return set
	}
	op.Attr = Attr(take(attrNames))
	if op.Dep = DepKind(take(depNames)); op.Dep != 0 && len(words) > 0 {
		back, ok := parseValue(words[0])
		if !ok || back < 1 || back > MaxBack {
			return fmt.Errorf("dependency %q: want the number of operations back, 1 to %d", words[0], MaxBack)
		}
		op.Back, words = uint8(back), words[1:]
	}
	if len(words) > 0 {
		return fmt.Errorf("unknown word %q behind %s", words[0], op.Kind)
	}
	return nil
}

// parseValue reads a decimal number of at most 19 digits, which cannot
// overflow a Value.
func parseValue(word []byte) (Value, bool) {
	if len(word) == 0 || len(word) > 19 {
		return 0, false
	}
	var v Value
	for _, c := range word {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + Value(c-'0')
	}
	return v, true
}

// finish reports what only the whole text shows.
func (r *reader) finish() {
	switch {
	case r.expect == nothing:
		return
	case r.expect != threads:
		r.fault("the text ends where the %s is expected", expectationNames[r.expect])
		return
	}
	r.checkClosed()
	p := r.program
	if err := checkThreadCount(len(p.Threads)); err != nil {
		r.fault("%w", err)
	}
	at := func(t ThreadID, i int, err error) {
		line := r.heads[t]
		if i < len(r.lines[t]) {
			line = int(r.lines[t][i])
		}
		r.faultAt(line, "%w", err)
	}
	p.checkAgents(at)
	if r.faults.Count() == 0 { // else operations are missing
		p.checkISA(at)
	}
	p.checkUnique(func(first, second place) {
		op := p.op(second)
		r.faultAt(int(r.lines[second.thread][second.index]), "%s: %s repeats line %d",
			p.OpText(op), valueNoun(op.Kind), r.lines[first.thread][first.index])
	})
	if r.faults.Count() == 0 {
		if err := p.checkRounds(1); err != nil {
			r.fault("%w", err)
		}
	}
}
