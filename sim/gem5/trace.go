package gem5

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"ordeal/gen"
	"ordeal/gen/wire"
	"ordeal/sim"
)

const (
	blockWords = gen.LineBytes / gen.WordBytes
	pageBytes  = 4096
)

// storeOrder is the order in which the stores of one program reached memory,
// by location.
type storeOrder [][]gen.Value

// append adds the order to the log of a complete run of job.
func (o storeOrder) append(log sim.Log, job *sim.Job) sim.Log {
	if len(o) == 0 || len(log) == 0 {
		return log
	}
	w := wire.NewWriter(job.Program, job.Rounds)
	for l, values := range o {
		log = w.AppendOrder(log, gen.LocID(l), values)
	}
	return log
}

// complete reports an error unless the order has all stores of a run.
func (o storeOrder) complete(p *gen.Program, rounds int) error {
	for l, n := range p.Writes() {
		if len(o[l]) != n*rounds {
			return fmt.Errorf("location %s: %d stores in the trace, the program has %d", p.Locations[l], len(o[l]), n*rounds)
		}
	}
	return nil
}

type place struct {
	program int
	loc     gen.LocID
}

// tracer extracts the order of stores from gem5's traces with the debug flags
// ProtocolTrace and RubySequencer. Both are needed: the first prints the address
// of a completed request,
//
//	159500   0        Seq                Done       >       [0x2008, line 0x2000] 1 cycles
//
// and the second the contents of the line after the store,
//
//	159500: system.ruby.l1_cntrl0.sequencer: set data [ 0x1 0x0 … ]
//
// Requests that waited for the same line follow without output of the first
// flag; the word that they changed is found by comparison.
//
// Addresses are physical, and SE mode allocates pages in any order. The first
// stores of an executable go to one page of its locations after the other, which
// gives the physical address of each page.
type tracer struct {
	touches []int64         // virtual addresses of the first stores, in order
	places  map[int64]place // virtual address to location
	pages   map[uint64]int64
	orders  []storeOrder

	address uint64 // of the last completed request
	block   []byte // the text of its line; nil: none yet
	scratch []byte
}

// newTracer makes a tracer for a batch of programs whose locations begin at
// bases.
func newTracer(programs []*gen.Program, bases []int64) *tracer {
	t := &tracer{places: make(map[int64]place), pages: make(map[uint64]int64)}
	for k, p := range programs {
		end := bases[k] + p.Offset(gen.LocID(len(p.Locations)))
		for page := bases[k]; page < end; page += pageBytes {
			t.touches = append(t.touches, page)
		}
		for l := range p.Locations {
			t.places[bases[k]+p.Offset(gen.LocID(l))] = place{k, gen.LocID(l)}
		}
		t.orders = append(t.orders, make(storeOrder, len(p.Locations)))
	}
	return t
}

var (
	seqWord  = []byte(" Seq ")
	doneWord = []byte(" Done ")
	setData  = []byte(": set data [")
	readData = []byte(": read data [")
)

// maxHead bounds the bytes before the words that give the kind of a line.
const maxHead = 128

// line takes a line of the trace, of whatever flag.
func (t *tracer) line(line []byte) error {
	// The kind of a line is near its beginning; most lines are long.
	head := line[:min(len(line), maxHead)]
	if i := bytes.Index(head, setData); i >= 0 {
		return t.store(line[i+len(setData):])
	}
	if i := bytes.Index(head, readData); i >= 0 {
		t.keep(line[i+len(readData):])
		return nil
	}
	if !bytes.Contains(head, seqWord) || !bytes.Contains(head, doneWord) {
		return nil
	}
	_, rest, ok := bytes.Cut(line, []byte("[0x"))
	hex, _, more := bytes.Cut(rest, []byte(","))
	if !ok || !more {
		return errors.New("no address")
	}
	address, err := strconv.ParseUint(string(hex), 16, 64)
	if err != nil {
		return err
	}
	t.address, t.block = address, nil
	return nil
}

func (t *tracer) keep(text []byte) {
	t.scratch = append(t.scratch[:0], text...)
	t.block = t.scratch
}

func (t *tracer) store(text []byte) error {
	after, err := parseBlock(text)
	if err != nil {
		return err
	}
	word := int(t.address%gen.LineBytes) / gen.WordBytes
	if t.block != nil {
		before, err := parseBlock(t.block)
		if err != nil {
			return err
		}
		if word, err = changed(&before, &after); err != nil {
			return err
		}
	}
	t.keep(text)
	address := t.address&^(gen.LineBytes-1) + uint64(word)*gen.WordBytes
	page := address &^ (pageBytes - 1)
	if len(t.touches) > 0 {
		if _, known := t.pages[page]; known || address != page {
			return fmt.Errorf("the store to %#x is not the first to a page, as the first stores of an executable are", address)
		}
		t.pages[page], t.touches = t.touches[0], t.touches[1:]
		return nil
	}
	virtual, ok := t.pages[page]
	if !ok {
		return nil
	}
	if p, ok := t.places[virtual+int64(address-page)]; ok {
		order := t.orders[p.program]
		order[p.loc] = append(order[p.loc], gen.Value(after[word]))
	}
	return nil
}

// changed is the word in which two contents of a line differ.
func changed(before, after *[blockWords]uint64) (int, error) {
	word, n := 0, 0
	for i := range before {
		if before[i] != after[i] {
			word = i
			n++
		}
	}
	if n != 1 {
		return 0, fmt.Errorf("a store of a joined request changed %d words", n)
	}
	return word, nil
}

// parseBlock reads " 0x1 0x0 … ]", the bytes of a line.
func parseBlock(text []byte) (block [blockWords]uint64, err error) {
	n := 0
	for {
		text = bytes.TrimLeft(text, " ")
		if len(text) == 0 || text[0] == ']' {
			break
		}
		hex, ok := bytes.CutPrefix(text, []byte("0x"))
		if !ok || n == gen.LineBytes {
			return block, fmt.Errorf("byte %d of a line: want 0x and a number, %d of them", n, gen.LineBytes)
		}
		var v uint64
		end := 0
		for end < len(hex) && hex[end] != ' ' && hex[end] != ']' {
			digit := hexDigit(hex[end])
			if v = v<<4 | digit; digit > 15 || v > 255 {
				return block, fmt.Errorf("byte %d of a line: %q is no byte", n, hex[:end+1])
			}
			end++
		}
		if end == 0 || end == len(hex) {
			return block, fmt.Errorf("byte %d of a line: cut off", n)
		}
		block[n/gen.WordBytes] |= v << (8 * (n % gen.WordBytes))
		n, text = n+1, hex[end:]
	}
	if n != gen.LineBytes {
		return block, fmt.Errorf("a line of %d bytes, want %d", n, gen.LineBytes)
	}
	return block, nil
}

// hexDigit is the value of a digit, or more than 15.
func hexDigit(c byte) uint64 {
	switch {
	case '0' <= c && c <= '9':
		return uint64(c - '0')
	case 'a' <= c && c <= 'f':
		return uint64(c-'a') + 10
	}
	return 16
}
