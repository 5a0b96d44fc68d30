// Package agent writes programs for the tester that runs inside of gem5 (scripts/gem5/extras),
// in the file that it maps, and reads their logs from it.
package agent

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"ordeal/gen"
	"ordeal/gen/option"
	"ordeal/gen/wire"
	"ordeal/sim"
)

// The kinds of core and the ways in which they perform read-modify-writes, as the embedded
// simulator has them, in the order of the tester.
var (
	models = []string{"inorder", "tso", "ooo"}
	rmws   = []string{"access", "locked", "llsc"}
)

// Models lists the kinds of core.
func Models() []string { return models }

// Options describe the agents. A zero field has the default that its comment gives.
type Options struct {
	// Model is one of Models: what all cores are. Empty means that there is no tester.
	Model string
	// Window is the number of operations in the window of ooo, 0: 16; Buffer that of stores
	// in the buffer of tso and ooo, 0: 8.
	Window, Buffer int
	// RMW is how cores perform read-modify-writes: access, locked or llsc; empty: locked, but
	// access with a protocol that has no locks.
	RMW string
	// Flush, Prefetch and Functional are the cycles between two flushes and two prefetches of
	// a core, and two functional reads, on average; 0: none.
	Flush, Prefetch, Functional int64
	// Stagger is the most cycles of a delay before each round of each thread; 0: none.
	Stagger int
	_       struct{}
}

// most is the largest window and the largest buffer.
const most = 256

// Faults are what is wrong with the options.
func (o *Options) Faults() (faults []option.Fault) {
	fault := func(name, format string, args ...any) { faults = append(faults, option.Faultf(name, format, args...)) }
	if !slices.Contains(models, o.Model) {
		fault("agent", "unknown kind of core %q: want %s", o.Model, list(models))
	}
	if o.RMW != "" && !slices.Contains(rmws, o.RMW) {
		fault("rmw", "unknown value %q: want %s", o.RMW, list(rmws))
	}
	if o.Window < 0 || o.Window > most {
		fault("window", "%d operations: want 1 to %d", o.Window, most)
	}
	if o.Buffer < 0 || o.Buffer > most {
		fault("store-buffer", "%d stores: want 1 to %d", o.Buffer, most)
	}
	return faults
}

func list(names []string) string {
	text := names[0]
	for _, n := range names[1:] {
		text += ", " + n
	}
	return text
}

// unlocked are the protocols of gem5 whose controllers block no line between the two accesses
// of a locked pair.
var unlocked = []string{"CHI", "MSI"}

// rmw is how cores perform read-modify-writes with a protocol, as the tester numbers it.
func (o *Options) rmw(protocol string) uint64 {
	byDefault := "locked"
	if slices.Contains(unlocked, protocol) {
		byDefault = "access"
	}
	return uint64(slices.Index(rmws, cmp.Or(o.RMW, byDefault)))
}

// Lacks names a lack of a protocol for the options; empty for none.
func (o *Options) Lacks(protocol string) string {
	if o.RMW == rmws[1] && slices.Contains(unlocked, protocol) {
		return fmt.Sprintf("protocol %s blocks no lines, which locked read-modify-writes need: want rmw access or llsc", protocol)
	}
	return ""
}

// Base is the simulated address of the first program's locations; each next program begins at
// the next multiple of gen.ConflictStride.
const Base = 1 << 20

// The words of the file; scripts/gem5/extras/ordeal/program.hh says what they are.
const (
	magic = 0x31544e454741524f // "ORAGENT1"

	programsAt  = 1
	stateAt     = 12
	currentAt   = 13
	countsAt    = 14
	headerWords = 24

	programWords = 5
	finalAt      = 3
	finalReadAt  = 4

	threadWords = 6
	logAt       = 4
	readAt      = 5
)

// Image is the file of a launch.
type Image struct {
	Words []uint64
	// Bases are the addresses of the locations of each program, End the first one behind all.
	Bases    []int64
	End      int64
	programs []*gen.Program
	rounds   int
}

// maxWords bounds a file: the log of a launch is in memory, like that of the embedded simulator.
const maxWords = 1 << 28

// New lays out programs for a launch.
func New(programs []*gen.Program, rounds int, seed uint64, o Options, protocol string) (*Image, error) {
	m := &Image{programs: programs, rounds: rounds, End: Base}
	words, need := make([]uint64, headerWords+len(programs)), int64(0)
	copy(words, []uint64{
		magic, uint64(len(programs)), uint64(rounds), seed,
		uint64(slices.Index(models, o.Model)), uint64(cmp.Or(o.Window, 16)), uint64(cmp.Or(o.Buffer, 8)), o.rmw(protocol),
		uint64(o.Flush), uint64(o.Prefetch), uint64(o.Functional), uint64(o.Stagger),
	})
	for k, p := range programs {
		if err := p.ValidateRounds(rounds); err != nil {
			return nil, err
		}
		if err := p.X86Only(); err != nil {
			return nil, err
		}
		for t := range p.Threads {
			need += int64(rounds) * int64(p.Reads(gen.ThreadID(t)))
		}
		if need > maxWords {
			return nil, fmt.Errorf("the values of the run take more than %d words: want fewer rounds, or programs in a batch", maxWords)
		}
		m.Bases = append(m.Bases, m.End)
		words[headerWords+k] = uint64(len(words))
		words = m.program(words, p, m.End)
		m.End = (m.End + p.Offset(gen.LocID(len(p.Locations))) + gen.ConflictStride) &^ (gen.ConflictStride - 1)
	}
	m.Words = words
	return m, nil
}

// program appends a program whose locations begin at an address, and room for its log.
func (m *Image) program(words []uint64, p *gen.Program, at int64) []uint64 {
	head := len(words)
	words = append(words, uint64(len(p.Threads)), uint64(len(p.Locations)), uint64(p.Stride()), 0, 0)
	cores, devices := 0, 0
	for t := range p.Threads {
		a := p.AgentOf(gen.ThreadID(t))
		number := a.Core
		switch a.Kind {
		case gen.AgentCore:
			number = cores
			cores++
		case gen.AgentDMA:
			number = devices
			devices++
		}
		words = append(words, uint64(a.Kind), uint64(number), 0, uint64(len(p.Threads[t])), 0, 0)
	}
	for l := range p.Locations {
		words = append(words, uint64(at+p.Offset(gen.LocID(l))))
	}
	for t, ops := range p.Threads {
		thread := head + programWords + t*threadWords
		words[thread+2] = uint64(len(words))
		for _, op := range ops {
			value := op.Value
			if op.Kind == gen.FetchAdd {
				value *= gen.AddUnit
			}
			words = append(words, uint64(op.Kind)|uint64(op.Loc)<<8, uint64(value))
		}
		words[thread+logAt] = uint64(len(words))
		words = append(words, make([]uint64, m.rounds*p.Reads(gen.ThreadID(t)))...)
	}
	words[head+finalAt] = uint64(len(words))
	return append(words, make([]uint64, len(p.Locations))...)
}

// Bytes are the image as the file has it.
func (m *Image) Bytes() []byte {
	data := make([]byte, 0, len(m.Words)*gen.WordBytes)
	for _, w := range m.Words {
		data = binary.LittleEndian.AppendUint64(data, w)
	}
	return data
}

// Read takes the words of the file after a launch. Only what the tester writes is taken.
func (m *Image) Read(data []byte) error {
	if len(data) != len(m.Words)*gen.WordBytes {
		return fmt.Errorf("the log of the tester has %d bytes, it had %d", len(data), len(m.Words)*gen.WordBytes)
	}
	word := func(i uint64) uint64 { return binary.LittleEndian.Uint64(data[i*gen.WordBytes:]) }
	take := func(from, n uint64) {
		for i := from; i < from+n; i++ {
			m.Words[i] = word(i)
		}
	}
	take(stateAt, headerWords-stateAt)
	for k, p := range m.programs {
		head := m.Words[headerWords+k]
		final := min(word(head+finalReadAt), uint64(len(p.Locations)))
		m.Words[head+finalReadAt] = final
		take(m.Words[head+finalAt], final)
		for t := range p.Threads {
			thread := head + programWords + uint64(t)*threadWords
			read := min(word(thread+readAt), uint64(m.rounds*p.Reads(gen.ThreadID(t))))
			m.Words[thread+readAt] = read
			take(m.Words[thread+logAt], read)
		}
	}
	return nil
}

// Logs are the logs of the programs, and which of them are whole. They stop at the first one
// that is not.
func (m *Image) Logs() (logs []sim.Log, whole []bool) {
	logs, whole = make([]sim.Log, len(m.programs)), make([]bool, len(m.programs))
	for k, p := range m.programs {
		w := wire.NewWriter(p, m.rounds)
		head := m.Words[headerWords+k]
		for t := range p.Threads {
			thread := head + programWords + uint64(t)*threadWords
			logs[k] = w.AppendThread(logs[k], gen.ThreadID(t), m.values(m.Words[thread+logAt], m.Words[thread+readAt]))
		}
		if whole[k] = uint64(k) < m.Words[currentAt] && m.Words[head+finalReadAt] == uint64(len(p.Locations)); !whole[k] {
			break
		}
		logs[k] = w.AppendFinal(logs[k], m.values(m.Words[head+finalAt], uint64(len(p.Locations))))
	}
	return logs, whole
}

func (m *Image) values(from, n uint64) []gen.Value {
	values := make([]gen.Value, n)
	for i := range values {
		values[i] = gen.Value(m.Words[from+uint64(i)])
	}
	return values
}

// Counts are what the tester has counted, in words.
func (m *Image) Counts() string {
	c := m.Words[countsAt:]
	return fmt.Sprintf("%d loads squashed, %d conditional stores failed, %d accesses refused, %d flushes, %d prefetches, %d functional reads of which %d found nothing",
		c[0], c[1], c[2], c[3], c[4], c[5], c[6])
}

// Size is the number of cores and devices that the programs need.
func (m *Image) Size() (cores, devices int) {
	for _, p := range m.programs {
		cores, devices = max(cores, p.Cores(), 1), max(devices, p.CountAgents(gen.AgentDMA))
	}
	return cores, devices
}

// Idle is a bound on the cycles that the threads go without an access.
func (m *Image) Idle() int64 {
	longest := gen.Value(0)
	for _, p := range m.programs {
		for _, ops := range p.Threads {
			sum := gen.Value(0)
			for _, op := range ops {
				if op.Kind == gen.Delay {
					sum += op.Value
				}
			}
			longest = max(longest, sum)
		}
	}
	return int64(longest)
}
