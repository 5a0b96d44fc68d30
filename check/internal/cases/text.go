package cases

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"ordeal/gen"
	"ordeal/parse"
)

// A line is "T: OP", "final M[x] == V", "check", a comment or nothing.
var (
	opLine    = regexp.MustCompile(`^(\w+): (.*)$`)
	readText  = regexp.MustCompile(`^M\[(\w+)\] == (\d+)$`)
	writeText = regexp.MustCompile(`^M\[(\w+)\] := (\d+)$`)
	rmwText   = regexp.MustCompile(`^\{ M\[(\w+)\] == (\d+); M\[(\w+)\] := (\d+) \}$`)
	finalLine = regexp.MustCompile(`^final M\[(\w+)\] == (\d+)$`)
	depLine   = regexp.MustCompile(`^dep (\w+): (\d+) -> (\d+)$`)
)

var fenceWords = map[string]parse.FenceMask{
	"sync": parse.FullFence, "stbar": parse.StoreStore,
	"LL": parse.LoadLoad, "LS": parse.LoadStore, "SL": parse.StoreLoad, "SS": parse.StoreStore,
}

// Parse reads one history in the notation of Axe (Naylor et al., FMCAD 2016)
// with a few words more: "stbar" is a store-store fence, "membar SL LL" a fence
// of those components, and "dep 0: 1 -> 2" says that thread 0's second
// operation depends on its first. It is the reader of tests: strict, of one
// history, and without a care for speed.
func Parse(text string) (*parse.History, error) {
	p := &parser{
		threads: map[string]int{}, locs: map[string]int32{}, h: &parse.History{Start: []parse.OpID{0}},
		final: map[int32]gen.Value{},
	}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line == "check" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := p.line(line); err != nil {
			return nil, fmt.Errorf("%d: %w", i+1, err)
		}
	}
	return p.history()
}

type parser struct {
	h       *parse.History
	threads map[string]int
	ops     [][]parse.Op // by thread
	locs    map[string]int32
	final   map[int32]gen.Value
	deps    [][3]int // thread, from, to
}

func (p *parser) loc(name string) int32 {
	x, ok := p.locs[name]
	if !ok {
		x = int32(len(p.locs))
		p.locs[name] = x
		p.h.Locations = append(p.h.Locations, name)
	}
	return x
}

func (p *parser) thread(name string) int {
	t, ok := p.threads[name]
	if !ok {
		t = len(p.ops)
		p.threads[name] = t
		p.ops = append(p.ops, nil)
		p.h.ThreadNames = append(p.h.ThreadNames, name)
	}
	return t
}

func number(s string) gen.Value {
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		panic("cases: a string of digits is no number: " + s)
	}
	return gen.Value(v)
}

func (p *parser) line(line string) error {
	if m := finalLine.FindStringSubmatch(line); m != nil {
		p.final[p.loc(m[1])] = number(m[2])
		return nil
	}
	if m := depLine.FindStringSubmatch(line); m != nil {
		p.deps = append(p.deps, [3]int{p.thread(m[1]), int(number(m[2])), int(number(m[3]))})
		return nil
	}
	m := opLine.FindStringSubmatch(line)
	if m == nil {
		return fmt.Errorf("%q is no operation", line)
	}
	op, err := p.op(m[2])
	if err != nil {
		return err
	}
	t := p.thread(m[1])
	p.ops[t] = append(p.ops[t], op)
	return nil
}

func (p *parser) op(text string) (parse.Op, error) {
	if m := readText.FindStringSubmatch(text); m != nil {
		return parse.Op{Kind: parse.Read, Loc: p.loc(m[1]), Read: number(m[2])}, nil
	}
	if m := writeText.FindStringSubmatch(text); m != nil {
		return parse.Op{Kind: parse.Write, Loc: p.loc(m[1]), RF: parse.NoOp, Write: number(m[2])}, nil
	}
	if m := rmwText.FindStringSubmatch(text); m != nil && m[1] == m[3] {
		return parse.Op{Kind: parse.RMW, Loc: p.loc(m[1]), Read: number(m[2]), Write: number(m[4])}, nil
	}
	fence := parse.Op{Kind: parse.Fence, Loc: -1, RF: parse.NoOp}
	for _, word := range strings.Fields(strings.TrimPrefix(text, "membar ")) {
		mask, ok := fenceWords[word]
		if !ok {
			return fence, fmt.Errorf("%q is no operation", text)
		}
		fence.Mask |= mask
	}
	return fence, nil
}

// history lays the threads out and finds the writer of each value.
func (p *parser) history() (*parse.History, error) {
	h := p.h
	for _, ops := range p.ops {
		h.Ops = append(h.Ops, ops...)
		h.Start = append(h.Start, parse.OpID(len(h.Ops)))
	}
	type written struct {
		loc   int32
		value gen.Value
	}
	writers := map[written]parse.OpID{}
	for x := range h.Locations {
		writers[written{int32(x), 0}] = parse.Init
	}
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Writes() {
			key := written{op.Loc, op.Write}
			if _, twice := writers[key]; twice {
				return nil, fmt.Errorf("0: %d is written twice to M[%s]", op.Write, h.Locations[op.Loc])
			}
			writers[key] = parse.OpID(i)
		}
	}
	find := func(loc int32, v gen.Value) (parse.OpID, error) {
		id, ok := writers[written{loc, v}]
		if !ok {
			return id, fmt.Errorf("0: nothing writes %d to M[%s]", v, h.Locations[loc])
		}
		return id, nil
	}
	var err error
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Reads() {
			if op.RF, err = find(op.Loc, op.Read); err != nil {
				return nil, err
			}
		}
	}
	if len(p.final) > 0 {
		h.Final = make([]parse.OpID, len(h.Locations))
		for x := range h.Final {
			h.Final[x] = parse.NoOp
			if v, ok := p.final[int32(x)]; ok {
				if h.Final[x], err = find(int32(x), v); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, d := range p.deps {
		start := int(h.Start[d[0]]) - 1
		h.Deps = append(h.Deps, parse.Dep{From: parse.OpID(start + d[1]), To: parse.OpID(start + d[2])})
	}
	return h, h.Validate()
}
