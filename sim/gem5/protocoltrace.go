package gem5

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
	"ordeal/sim/lazyregexp"
	"ordeal/sim/trace"
)

// recordFlags are the debug flags of a recorded launch: transitions, the values
// of accesses, notifications of cores, and messages; execFlags add what CPUs commit.
var (
	recordFlags = []string{"ProtocolTrace", "RubySequencer", "RubyPort", "RubyQueue"}
	execFlags   = []string{"ExecEnable", "ExecUser", "ExecMicro", "ExecResult"}
)

// flags are debug flags, with those of CPUs if there are any.
func (r *Runner) flags(flags []string) []string {
	if r.options.agents() {
		return flags
	}
	return slices.Concat(flags, execFlags)
}

// protocolTrace turns the lines of recordFlags into events. They are about the
// lines that hold some locations of the first program of a launch, and have
// virtual addresses; those of the trace are physical, and tracer, which has to
// see the trace from its beginning, knows the pages. The tester has no virtual
// addresses.
type protocolTrace struct {
	program *gen.Program
	image   *elf.Image // nil of the tester
	base    int64      // address of the program's locations
	record  func(trace.Event)
	tracer  *tracer // nil of the tester
	mapped  bool    // all pages are known

	lines   map[int64][]gen.LocID // by virtual address
	blocks  map[int64][blockWords]uint64
	last    doneLine
	held    []trace.Event                   // of a tick, until the transition that they are part of
	notices map[string]notice               // of controllers
	sent    map[[sha256.Size]byte][]sending // by the text of the message
	threads map[int]*committed
}

// doneLine is the last request that a sequencer completed.
type doneLine struct {
	object string // empty until its data is printed
	core   int
	line   int64 // -1: not one that is followed
}

// notice is a notification of cores.
type notice struct {
	at    int64
	cores []gen.ThreadID
}

// sending is a message that a controller put into one of its buffers.
type sending struct {
	place string
	at    int64
}

// committed is where a thread is in its program.
type committed struct {
	round int // -1: not known yet
	op    int
}

func newProtocolTrace(program *gen.Program, image *elf.Image, base int64, locations []gen.LocID, record func(trace.Event)) *protocolTrace {
	p := &protocolTrace{
		program: program, image: image, base: base, record: record, mapped: image == nil,
		lines: map[int64][]gen.LocID{}, blocks: map[int64][blockWords]uint64{}, notices: map[string]notice{}, sent: map[[sha256.Size]byte][]sending{},
		threads: map[int]*committed{}, last: doneLine{line: -1},
	}
	if image != nil {
		p.tracer = newTracer([]*gen.Program{program}, image.Bases[:1])
	}
	for _, l := range locations {
		line := p.lineOf(l)
		p.lines[line] = append(p.lines[line], l)
	}
	return p
}

func (p *protocolTrace) lineOf(l gen.LocID) int64 {
	return (p.base + p.program.Offset(l)) &^ (gen.LineBytes - 1)
}

// The lines of the flags. Those of ProtocolTrace begin with the tick, those of the
// others with the tick and the object.
var (
	transitionLine = lazyregexp.New(`^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+([^\s>]*)>(\S*)\s+\[0x([0-9a-f]+), line 0x([0-9a-f]+)\]\s*(.*)`)
	objectLine     = lazyregexp.New(`^\s*(\d+): (\S+): (.*)`)
	messageLine    = lazyregexp.New(`^Enqueue arrival_time: (\d+), Message: (\[\w+: addr = \[0x[0-9a-f]+, line 0x([0-9a-f]+)\] .*?\bType = (\w+).*)`)
	blockForm      = lazyregexp.New(`(?i)\bDataBlk = \[([^\]]*\])`)
	dataSizeForm   = lazyregexp.New(`\bMessageSize = (\w+_)?Data\b`)
	destinations   = lazyregexp.New(` Destination = \[[^\]]*\]`)
	controllerName = lazyregexp.New(`\.([a-z]+\d?)_cntrl(\d+)(?:\.|$)`)
	coreName       = lazyregexp.New(`\.cpu(\d*)$`)
	counterForm    = lazyregexp.New(`^(?:T\d+ : )?0x([0-9a-f]+)`)
	resultForm     = lazyregexp.New(` D=0x([0-9a-f]+)`)
	ownEvent       = lazyregexp.New(`(?i)(^|_)(load|store|ifetch|atomic)`)
)

// machines are the names of gem5's controllers in its configurations.
var machines = map[string]string{
	"l0": "L0Cache", "l1": "L1Cache", "l2": "L2Cache", "l3": "L3Cache", "cp": "CorePair", "dir": "Directory", "dma": "DMA",
}

// controller is the controller that an object of gem5 belongs to; empty if it
// is none.
func controller(object string) string {
	m := controllerName().FindStringSubmatch(object)
	if m == nil || machines[m[1]] == "" {
		return ""
	}
	return machines[m[1]] + " " + m[2]
}

// sequencer is the controller that a sequencer belongs to, and its core; the
// controller is empty if the object is none. A core pair has two.
func sequencer(object string) (place string, core gen.ThreadID) {
	place = controller(object)
	machine, number, _ := strings.Cut(place, " ")
	version, _ := strconv.Atoi(number)
	if machine == machines["cp"] {
		version *= 2
		if strings.HasSuffix(object, ".sequencer1") {
			version++
		}
	}
	return place, gen.ThreadID(version)
}

// line takes a line of the trace.
func (p *protocolTrace) line(text []byte) error {
	if !p.mapped {
		if err := p.tracer.line(text); err != nil {
			return err
		}
		p.mapped = len(p.tracer.touches) == 0
		return nil
	}
	text = bytes.TrimRight(text, "\n")
	if m := objectLine().FindSubmatch(text); m != nil {
		return p.object(number(m[1]), string(m[2]), m[3])
	}
	m := transitionLine().FindSubmatch(text)
	if m == nil {
		return nil
	}
	at, version, machine, event := number(m[1]), number(m[2]), string(m[3]), string(m[4])
	line, known := p.virtual(hexadecimal(m[8]))
	if machine == "Seq" {
		if event == "Done" {
			p.last = doneLine{core: int(version), line: -1}
			if known {
				p.last.line = line
			}
		}
		return nil
	}
	if bytes.Contains(m[9], []byte("Stall")) {
		return nil
	}
	place := fmt.Sprintf("%s %d", machine, version)
	noticed := p.notices[place]
	delete(p.notices, place)
	if !known {
		return nil
	}
	p.flush(at)
	p.record(trace.Event{
		Kind: trace.Transition, At: at, Place: place, Line: line, Name: event,
		State: string(m[5]), Next: string(m[6]), Own: ownEvent().MatchString(event),
	})
	for _, core := range noticed.cores {
		if noticed.at == at {
			p.record(trace.Event{Kind: trace.Notice, At: at, Place: place, Line: line, Thread: core})
		}
	}
	p.flush(-1)
	return nil
}

// virtual is the virtual address of a line; false for one that is not followed.
func (p *protocolTrace) virtual(physical int64) (int64, bool) {
	if p.tracer == nil {
		return physical, p.lines[physical] != nil
	}
	page, ok := p.tracer.pages[uint64(physical)&^(pageBytes-1)]
	line := page + physical&(pageBytes-1)
	return line, ok && p.lines[line] != nil
}

// flush records what is held: all of it, or for a tick that is not negative what
// is of another tick.
func (p *protocolTrace) flush(at int64) {
	for len(p.held) > 0 && p.held[0].At != at {
		p.record(p.held[0])
		p.held = p.held[1:]
	}
}

// object takes a line of an object.
func (p *protocolTrace) object(at int64, object string, text []byte) error {
	switch {
	case bytes.HasPrefix(text, readWord), bytes.HasPrefix(text, setWord):
		return p.data(at, object, text)
	case bytes.HasPrefix(text, []byte("Sending invalidations")):
		if place, core := sequencer(object); place != "" {
			n := p.notices[place]
			if n.at != at {
				n = notice{at: at}
			}
			n.cores = append(n.cores, core)
			p.notices[place] = n
		}
	case bytes.HasPrefix(text, []byte("Enqueue arrival_time")):
		p.message(at, object, text)
	default:
		if m := coreName().FindStringSubmatch(object); m != nil && p.image != nil {
			core, _ := strconv.Atoi(m[1]) // a single core has no number
			p.commit(at, core, text)
		}
	}
	return nil
}

var (
	readWord = []byte("read data [")
	setWord  = []byte("set data [")
)

// data takes the contents of a line after an access. Accesses that waited for the
// same request follow it, from the same object. A load gives the values of all
// locations of the line, as the word that it loaded may not be known.
func (p *protocolTrace) data(at int64, object string, text []byte) error {
	if p.last.object == "" {
		p.last.object = object
	}
	if p.last.object != object || p.last.line < 0 {
		return nil
	}
	kind, hex, _ := bytes.Cut(text, []byte("["))
	block, err := parseBlock(hex)
	if err != nil {
		return err
	}
	line := p.last.line
	before, known := p.blocks[line]
	stores := kind[0] == 's'
	for _, l := range p.lines[line] {
		word := int(p.base+p.program.Offset(l)-line) / gen.WordBytes
		if stores && known && block[word] == before[word] {
			continue
		}
		e := trace.Event{
			Kind: trace.Access, At: at, Place: trace.Core(gen.ThreadID(p.last.core)), Line: line,
			Thread: gen.ThreadID(p.last.core), Number: -1, Loc: l, Reads: !stores, Writes: stores,
		}
		if stores {
			e.Written = gen.Value(block[word])
		} else {
			e.Read = gen.Value(block[word])
		}
		p.held = append(p.held, e)
	}
	if stores {
		p.blocks[line] = block
	}
	return nil
}

// message takes a message that is put into a buffer: into one that a controller
// sends from, as requestFromL1Cache, or one that it receives from, as
// requestToL1Cache. Between them it is in buffers of the network, which changes
// nothing of it but the destinations of one with several. What is received is the
// last that was sent elsewhere and is the same in all else: who requested and who
// answers, and the data.
func (p *protocolTrace) message(at int64, object string, text []byte) {
	place := controller(object)
	m := messageLine().FindSubmatch(text)
	if place == "" || m == nil {
		return
	}
	line, known := p.virtual(hexadecimal(m[3]))
	if !known {
		return
	}
	buffer := object[strings.LastIndexByte(object, '.')+1:]
	key := sha256.Sum256(destinations().ReplaceAll(m[2], nil))
	switch {
	case strings.Contains(buffer, "From"):
		p.sent[key] = append(p.sent[key], sending{place, at})
	case strings.Contains(buffer, "To"):
		list := p.sent[key]
		for i := len(list) - 1; i >= 0; i-- {
			if list[i].place != place {
				p.record(trace.Event{
					Kind: trace.Message, At: list[i].at, Place: list[i].place, Line: line,
					Name: string(m[4]), To: place, Arrives: number(m[1]), Data: carried(m[2]),
				})
				return
			}
		}
	}
}

// carried is the data of a message whose size is that of one with data; nil for others.
func carried(message []byte) *[blockWords]gen.Value {
	m := blockForm().FindSubmatch(message)
	if m == nil || !dataSizeForm().Match(message) {
		return nil
	}
	block, err := parseBlock(m[1])
	if err != nil {
		return nil
	}
	data := new([blockWords]gen.Value)
	for i, word := range block {
		data[i] = gen.Value(word)
	}
	return data
}

// commit takes an instruction that a core commits. The value of a store says in
// which round its thread is.
func (p *protocolTrace) commit(at int64, core int, text []byte) {
	m := counterForm().FindSubmatch(text)
	if m == nil {
		return
	}
	place, ok := p.image.PlaceOf(hexadecimal(m[1]))
	if !ok || place.Op < 0 || place.Program != 0 || place.Thread != core {
		return
	}
	t := p.threads[core]
	if t == nil {
		t = &committed{round: -1, op: -1}
		p.threads[core] = t
	}
	ops := p.program.Threads[core]
	if place.Op < t.op && t.round >= 0 {
		t.round++
	}
	first := place.Op != t.op
	t.op = place.Op
	if op := &ops[place.Op]; t.round < 0 && (op.Kind == gen.Store || op.Kind == gen.Exchange) {
		if d := resultForm().FindSubmatch(text); d != nil {
			value := gen.Value(hexadecimal(d[1]))
			if stride := p.program.Stride(); value >= op.Value && (value-op.Value)%stride == 0 {
				t.round = int((value - op.Value) / stride)
			}
		}
	}
	if first && t.round >= 0 {
		p.record(trace.Event{
			Kind: trace.Commit, At: at, Place: trace.Core(gen.ThreadID(core)), Thread: gen.ThreadID(core), Number: t.round*len(ops) + place.Op,
		})
	}
}

// number and hexadecimal read what a pattern found to be digits; a number that is
// too large is 0.
func number(digits []byte) int64 {
	n, _ := strconv.ParseInt(string(digits), 10, 64)
	return n
}

func hexadecimal(digits []byte) int64 {
	n, _ := strconv.ParseUint(string(digits), 16, 64)
	return int64(n)
}
