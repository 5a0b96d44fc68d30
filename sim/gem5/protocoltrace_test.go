package gem5

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
	"ordeal/sim/trace"
)

// blockText is a line whose first word is value, as gem5 prints it.
func blockText(value uint64) string {
	var text strings.Builder
	for i := range gen.LineBytes {
		if i >= gen.WordBytes {
			value = 0
		}
		fmt.Fprintf(&text, " %#x", value>>(8*i)&0xff)
	}
	return "[" + text.String() + " ]"
}

const tracedProgram = "ordeal-program 1\nlayout spread\nlocations x y\nthread 0\nstore x 1\nstore y 2\nthread 1\nload y\nload x\n"

// TestProtocolTrace reads what gem5 v24.0 prints under the flags of a recorded
// launch, with x and y on two pages that lie the other way around in physical
// memory: how MESI_Two_Level reads old data in IS_I.
func TestProtocolTrace(t *testing.T) {
	program, err := gen.Parse("p", []byte(tracedProgram))
	if err != nil {
		t.Fatal(err)
	}
	image, err := elf.EmitBatch([]*gen.Program{program}, elf.Options{Rounds: 9})
	if err != nil {
		t.Fatal(err)
	}
	var touches strings.Builder
	pages := newTracer([]*gen.Program{program}, image.Bases).touches
	physical := func(l gen.LocID) int64 {
		offset := program.Offset(l)
		return int64(0x9000+(len(pages)-1-int(offset/pageBytes))*pageBytes) + offset%pageBytes
	}
	for i := range pages {
		address := 0x9000 + (len(pages)-1-i)*pageBytes
		fmt.Fprintf(&touches, "%15d   0        Seq                Done       >       [%#x, line %#x] 1 cycles\n", 10*i, address, address)
		fmt.Fprintf(&touches, "%7d: system.ruby.l1_cntrl0.sequencer: set data %s\n", 10*i, blockText(0))
	}
	line := fmt.Sprintf("[%#x, line %#x]", physical(0), physical(0)&^63)
	pc := func(thread, op int) int64 {
		i := slices.IndexFunc(image.Places, func(p elf.Place) bool { return p.Thread == thread && p.Op == op })
		return image.Places[i].Address
	}
	stride := int64(program.Stride())
	text := touches.String() + strings.NewReplacer("LINE", line, "BARE", line[1:len(line)-1]).Replace(strings.Join([]string{
		"          70500   1        Seq               Begin       >       LINE LD",
		"          70600   1    L1Cache                Load     NP>IS     LINE ",
		"  70700: system.ruby.l1_cntrl1.requestFromL1Cache: Enqueue arrival_time: 71200, Message: [RequestMsg: addr = LINE Type = GETS AccessMode = Supervisor Requestor = L1Cache-1 ]",
		"  71000: system.ruby.network.routers2.port_buffers04: Enqueue arrival_time: 71200, Message: [RequestMsg: addr = LINE Type = GETS AccessMode = Supervisor Requestor = L1Cache-1 ]",
		"  71100: system.ruby.l1_cntrl3.requestFromL1Cache: Enqueue arrival_time: 71600, Message: [RequestMsg: addr = LINE Type = GETS AccessMode = Supervisor Requestor = L1Cache-3 ]",
		"  71300: system.ruby.l2_cntrl0.L1RequestToL2Cache: Enqueue arrival_time: 71400, Message: [RequestMsg: addr = LINE Type = GETS AccessMode = Supervisor Requestor = L1Cache-1 ]",
		"  71310: system.ruby.dir_cntrl0.forwardFromDir: Enqueue arrival_time: 71320, Message: [RequestMsg: addr = LINE Type = INV Requestor = L1Cache-3 Destination = [NetDest (3)  - 1 1 0  -  - 0 ] MessageSize = Control ]",
		"  71330: system.ruby.l1_cntrl0.forwardToCache: Enqueue arrival_time: 71340, Message: [RequestMsg: addr = LINE Type = INV Requestor = L1Cache-3 Destination = [NetDest (3)  - 1 0 0  -  - 0 ] MessageSize = Control ]",
		"          71500   0    L2Cache             L1_GETS      S>S      LINE Protocol Stall",
		"          72000   1    L1Cache                 Inv     IS>IS_I   LINE ",
		"          73000   0    L1Cache                Load      S>S      [0x40, line 0x40] ",
		"          80000   0        Seq                Done       >       LINE 120 cycles",
		"  80000: system.ruby.l1_cntrl0.sequencer: set data " + blockText(uint64(4*stride+1)),
		"          80000   0    L1Cache             Ack_all     SM>M      LINE ",
		fmt.Sprintf("  80100: system.cpu0: T0 : %#x @thread0_round    : lea   rax, DS:[rsi + 0x1] : IntAlu :  D=%#016x", pc(0, 0), 4*stride+1),
		fmt.Sprintf("  80200: system.cpu0: T0 : %#x @thread0_round+8    : mov   DS:[rbx], rax", pc(0, 1)),
		fmt.Sprintf("  80250: system.cpu0: T0 : %#x @thread0_round    : lea   rax, DS:[rsi + 0x1]", pc(0, 0)),
		"          90000   1        Seq                Done       >       LINE 300 cycles",
		"  90000: system.ruby.l1_cntrl1.sequencer: read data " + blockText(0),
		"  90000: system.ruby.l1_cntrl1.sequencer: Sending invalidations.",
		"          90000   1    L1Cache            DataI      IS_I>I      LINE ",
		"  90100: system.ruby.l1_cntrl1.sequencer: read data " + blockText(0), // of the same request
		"nonsense",
	}, "\n")+"\n")
	var got []trace.Event
	p := newProtocolTrace(program, image, image.Bases[0], []gen.LocID{0}, func(e trace.Event) { got = append(got, e) })
	for l := range strings.Lines(text) {
		if err := p.line([]byte(l)); err != nil {
			t.Fatalf("%q: %v", l, err)
		}
	}
	if err := p.finish(); err != nil {
		t.Fatal(err)
	}
	x := int64(elf.LocationsAt) &^ 63
	want := []trace.Event{
		{Kind: trace.Transition, At: 70600, Place: "L1Cache 1", Line: x, Name: "Load", State: "NP", Next: "IS", Own: true},
		{Kind: trace.Message, At: 70700, Place: "L1Cache 1", Line: x, Name: "GETS", To: "L2Cache 0", Arrives: 71400},
		{Kind: trace.Message, At: 71310, Place: "Directory 0", Line: x, Name: "INV", To: "L1Cache 0", Arrives: 71340},
		{Kind: trace.Transition, At: 72000, Place: "L1Cache 1", Line: x, Name: "Inv", State: "IS", Next: "IS_I"},
		{Kind: trace.Transition, At: 80000, Place: "L1Cache 0", Line: x, Name: "Ack_all", State: "SM", Next: "M"},
		{Kind: trace.Access, At: 80000, Place: "core 0", Line: x, Number: -1, Writes: true, Written: gen.Value(4*stride + 1)},
		{Kind: trace.Commit, At: 80100, Place: "core 0", Number: 8},
		{Kind: trace.Commit, At: 80200, Place: "core 0", Number: 9},
		{Kind: trace.Commit, At: 80250, Place: "core 0", Number: 10},
		{Kind: trace.Transition, At: 90000, Place: "L1Cache 1", Line: x, Name: "DataI", State: "IS_I", Next: "I"},
		{Kind: trace.Notice, At: 90000, Place: "L1Cache 1", Line: x, Thread: 1},
		{Kind: trace.Access, At: 90000, Place: "core 1", Line: x, Thread: 1, Number: -1, Reads: true},
		{Kind: trace.Access, At: 90100, Place: "core 1", Line: x, Thread: 1, Number: -1, Reads: true},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestCarried reads the block of a message with data, and none of one without.
func TestCarried(t *testing.T) {
	text := "[ResponseMsg: addr = [0x40, line 0x40] Type = DATA DataBlk = " + blockText(645) + " MessageSize = "
	if data := carried([]byte(text + "Response_Data ]")); data == nil || data[0] != 645 || data[1] != 0 {
		t.Errorf("%v", data)
	}
	for _, other := range []string{text + "Response_Control ]", "[RequestMsg: MessageSize = Data ]", strings.Replace(text, "0x85", "0x", 1) + "Data ]"} {
		if data := carried([]byte(other)); data != nil {
			t.Errorf("%s: %v", other, data)
		}
	}
}

// TestCarriedOnGem5 reads messages that gem5 v24.0.0.1 printed under RubyQueue, of
// MESI_Two_Level, MI_example, MOESI_hammer and MOESI_AMD_Base in this order: those with
// data, whose first words are given, and those whose block means nothing.
func TestCarriedOnGem5(t *testing.T) {
	text, err := os.ReadFile("testdata/messages.txt")
	if err != nil {
		t.Fatal(err)
	}
	const none = -1
	want := []struct {
		object, name string
		first        int64
	}{
		{"L1Cache 0", "DATA", 1}, {"L2Cache 0", "DATA_EXCLUSIVE", 2}, {"L1Cache 1", "PUTX", none}, {"L2Cache 0", "WB_ACK", none},
		{"L1Cache 0", "DATA", 1}, {"L1Cache 1", "PUTX", 1}, {"L1Cache 0", "GETX", none},
		{"L1Cache 0", "DATA_SHARED", 1}, {"L1Cache 0", "DATA_EXCLUSIVE", 1}, {"L1Cache 1", "ACK", none}, {"L1Cache 0", "GETS", none},
		{"CorePair 1", "CPUPrbResp", none}, {"Directory 0", "NBSysResp", 0xb880f000001},
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		object := objectLine().FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		m := messageLine().FindStringSubmatch(object[3])
		if m == nil || n == len(want) {
			t.Fatalf("line %d is no message, or one too many: %s", n+1, line)
		}
		w := want[n]
		first := int64(none)
		if data := carried([]byte(m[2])); data != nil {
			first = int64(data[0])
		}
		if place := controller(object[2]); place != w.object || m[4] != w.name || first != w.first {
			t.Errorf("line %d: %s of %s with %d, want %s of %s with %d", n+1, m[4], place, first, w.name, w.object, w.first)
		}
		n++
	}
	if n != len(want) {
		t.Errorf("%d messages, want %d", n, len(want))
	}
}

// TestSequencer names the cores of sequencers, of which a core pair has two.
func TestSequencer(t *testing.T) {
	for object, want := range map[string]trace.Event{
		"system.ruby.l1_cntrl3.sequencer":  {Place: "L1Cache 3", Thread: 3},
		"system.ruby.cp_cntrl1.sequencer":  {Place: "CorePair 1", Thread: 2},
		"system.ruby.cp_cntrl1.sequencer1": {Place: "CorePair 1", Thread: 3},
		"system.cpu1":                      {},
	} {
		place, core := sequencer(object)
		if place != want.Place || core != want.Thread {
			t.Errorf("%s: %q, %d", object, place, core)
		}
	}
}

// A trace that ends before the pages are known is no trace.
func TestProtocolTraceWithoutPages(t *testing.T) {
	program, err := gen.Parse("p", []byte(tracedProgram))
	if err != nil {
		t.Fatal(err)
	}
	image, err := elf.EmitBatch([]*gen.Program{program}, elf.Options{Rounds: 1})
	if err != nil {
		t.Fatal(err)
	}
	p := newProtocolTrace(program, image, image.Bases[0], nil, func(trace.Event) {})
	if err := p.finish(); err == nil {
		t.Error("no error")
	}
}

func TestWindows(t *testing.T) {
	// Two threads of 100 rounds, which commit a store each tick of 10^9, thread 1
	// half a run later; and two at the same time, in slices of 20 rounds.
	var list, even []slice
	for i := int64(1); i <= 150; i++ {
		list = append(list, slice{tick: i * 1e9, cores: []counts{{stores: min(i, 100)}, {stores: max(0, i-50)}}})
	}
	for i := int64(20); i <= 100; i += 20 {
		even = append(even, slice{tick: i * 1e9, cores: []counts{{stores: i}, {stores: i}}})
	}
	for _, test := range []struct {
		slices []slice
		want   trace.Want
		text   string
	}{
		{even, trace.Want{First: 40, Last: 42}, "0:6000000000 20000000000:60000000000"},
		{list, trace.Want{First: 40, Last: 42}, fmt.Sprintf("0:%d", int64(95e9))}, // thread 1 has stored to all pages at 56

		{list, trace.Want{First: 1, Last: 1}, fmt.Sprintf("0:%d", int64(56e9))},
		{list, trace.Want{First: 99, Last: 99}, fmt.Sprintf("0:56000000000 97000000000:%d", int64(math.MaxInt64))},
		{nil, trace.Want{First: 40, Last: 42}, fmt.Sprintf("0:%d", int64(math.MaxInt64))},
	} {
		var got []string
		for _, w := range windowsOf(test.slices, 2, 100, test.want) {
			got = append(got, fmt.Sprintf("%d:%d", w.from, w.to))
		}
		if strings.Join(got, " ") != test.text {
			t.Errorf("%+v: %v, want %s", test.want, got, test.text)
		}
	}
}

// FuzzProtocolTrace requires that no line of a trace ends the reading of it with
// a panic, and that events are about the lines that were asked for.
func FuzzProtocolTrace(f *testing.F) {
	program, err := gen.Parse("p", []byte(tracedProgram))
	if err != nil {
		f.Fatal(err)
	}
	image, err := elf.EmitBatch([]*gen.Program{program}, elf.Options{Rounds: 9})
	if err != nil {
		f.Fatal(err)
	}
	f.Add("          70600   1    L1Cache                Load     NP>IS     [0x9000, line 0x9000] ")
	f.Add("  71300: system.ruby.l2_cntrl0.L1RequestToL2Cache: Enqueue arrival_time: 71400, Message: [RequestMsg: addr = [0x9000, line 0x9000] Type = GETS ]")
	f.Add("          90000   1        Seq                Done       >       [0x9000, line 0x9000] 300 cycles\n  90000: system.ruby.l1_cntrl1.sequencer: read data " + blockText(7))
	f.Add("  80100: system.cpu0: T0 : 0x4001d4 @thread0_round    : lea   rax : IntAlu :  D=0x0000000000000001")
	f.Fuzz(func(t *testing.T, text string) {
		p := newProtocolTrace(program, image, image.Bases[0], []gen.LocID{0, 1}, nil)
		p.record = func(e trace.Event) {
			if e.Kind != trace.Commit && p.lines[e.Line] == nil {
				t.Errorf("an event of line %#x: %+v", e.Line, e)
			}
		}
		p.tracer.touches, p.mapped = nil, true
		p.tracer.pages[0x9000] = int64(elf.LocationsAt)
		s := newStuck([]slice{{tick: 1, cores: make([]counts, 2)}})
		s.image = image
		for l := range strings.Lines(text) {
			_ = p.line([]byte(l)) // an error is as good as an event
			s.line([]byte(l))
		}
		_ = p.finish()
		_ = s.String()
	})
}
