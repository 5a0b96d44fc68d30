package gem5

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ordeal/gen"
	"ordeal/gen/wire"
	"ordeal/sim"
)

// sums gathers what the threads of an executable with elf.LogPseudo report, from
// the lines that gem5 prints under the debug flag PseudoInst
// (src/sim/pseudo_inst.cc, m5sum):
//
//	159500: global: pseudo_inst::m5sum(0x100000000000002, 0x7, 0, 0, 0, 0)
//
// or, with elf.LogItems, from the items that se.py prints into the same pipe:
//
//	item 33554439
type sums struct {
	programs []*gen.Program
	rounds   int
	items    int // of a value; 0 with LogPseudo
	threads  []reported
	final    reported
}

// reported is what one thread, or SumFinal, has reported of a batch.
type reported struct {
	next   uint64   // the number of its next sum, or value
	value  uint64   // the parts of the next value that came by items,
	parts  int      // and how many
	values [][]byte // by program, little-endian words
	// fault is why what follows is not read: a guest that executes garbage may
	// report anything.
	fault error
}

func newSums(programs []*gen.Program, rounds int) *sums {
	s := &sums{programs: programs, rounds: rounds, threads: make([]reported, len(programs[0].Threads))}
	for t := range s.threads {
		s.threads[t].values = make([][]byte, len(programs))
	}
	s.final.values = make([][]byte, len(programs))
	return s
}

var (
	sumWord   = []byte("m5sum(")
	sumPrefix = []byte("pseudo_inst::")
	itemWord  = []byte("item ")
)

// line takes a line of the trace, and reports whether it is one of PseudoInst.
func (s *sums) line(line []byte) (taken bool, err error) {
	if text, ok := bytes.CutPrefix(line, itemWord); ok {
		item, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 32)
		if err == nil && s.items > 0 {
			s.item(item)
		}
		return true, err
	}
	head := line[:min(len(line), maxHead)]
	i := bytes.Index(head, sumWord)
	if i < 0 {
		return bytes.Contains(head, sumPrefix), nil
	}
	var arguments [1 + wire.SumValues]uint64
	rest := line[i+len(sumWord):]
	for k := range arguments {
		end := bytes.IndexAny(rest, ",)")
		if end < 0 {
			return true, fmt.Errorf("argument %d of a sum is cut off", k)
		}
		// Zero is printed without 0x.
		if arguments[k], err = strconv.ParseUint(string(rest[:end]), 0, 64); err != nil {
			return true, fmt.Errorf("argument %d of a sum: %w", k, err)
		}
		rest = bytes.TrimLeft(rest[end+1:], " ")
	}
	s.add(arguments[0], arguments[1:])
	return true, nil
}

// item adds a part of a value.
func (s *sums) item(item uint64) {
	from, place := &s.final, s.finalPlace
	if t := item >> wire.ItemBits; t < uint64(len(s.threads)) {
		from, place = &s.threads[t], func(number uint64) (program, n int) { return s.valuePlace(gen.ThreadID(t), number) }
	} else if t != wire.ItemFinal {
		return
	}
	from.value |= item & (1<<wire.ItemBits - 1) << (from.parts * wire.ItemBits)
	if from.parts++; from.parts == s.items {
		from.add(from.next, []uint64{from.value}, place)
		from.value, from.parts = 0, 0
	}
}

// valuePlace is which program a value of a thread belongs to, -1 for none.
func (s *sums) valuePlace(t gen.ThreadID, number uint64) (program, n int) {
	for k, p := range s.programs {
		all := uint64(p.Reads(t) * s.rounds)
		if number < all {
			return k, 1
		}
		number -= all
	}
	return -1, 0
}

func (s *sums) add(header uint64, values []uint64) {
	number := header & (1<<wire.SumThreadShift - 1)
	switch t := header >> wire.SumThreadShift; {
	case t == wire.SumFinal:
		s.final.add(number, values, s.finalPlace)
	case t < uint64(len(s.threads)):
		s.threads[t].add(number, values, func(number uint64) (int, int) { return s.threadPlace(gen.ThreadID(t), number) })
	}
}

// add appends the values of a sum to those of the program that place names, and
// as many as it says.
func (r *reported) add(number uint64, values []uint64, place func(number uint64) (program, n int)) {
	if r.fault != nil {
		return
	}
	if number != r.next {
		r.fault = fmt.Errorf("sum %d follows sum %d", number, int64(r.next)-1)
		return
	}
	program, n := place(number)
	if program < 0 {
		r.fault = fmt.Errorf("sum %d is one too many", number)
		return
	}
	for _, v := range values[:n] {
		r.values[program] = binary.LittleEndian.AppendUint64(r.values[program], v)
	}
	r.next++
}

// threadPlace is which program a sum of a thread belongs to, -1 for none, and
// how many values it has.
func (s *sums) threadPlace(t gen.ThreadID, number uint64) (program, n int) {
	for k, p := range s.programs {
		reads := p.Reads(t)
		each := uint64(wire.SumsOf(reads))
		if all := each * uint64(s.rounds); number >= all {
			number -= all
			continue
		}
		return k, min(wire.SumValues, reads-int(number%each)*wire.SumValues)
	}
	return -1, 0
}

// finalPlace is the same for the final values; what completes a group of
// locations is no value.
func (s *sums) finalPlace(number uint64) (program, n int) {
	for k, p := range s.programs {
		if all := uint64(wire.FinalSums(p)); number >= all {
			number -= all
			continue
		}
		if number >= uint64(len(p.Locations)) {
			return k, 0
		}
		return k, 1
	}
	return -1, 0
}

// logs are the logs of the programs up to the first that is not whole, which
// has what was reported, and which are whole: all values of all threads, and
// the final memory.
func (s *sums) logs() (logs []sim.Log, whole []bool) {
	logs, whole = make([]sim.Log, len(s.programs)), make([]bool, len(s.programs))
	for k, p := range s.programs {
		whole[k] = len(s.final.values[k]) == len(p.Locations)*gen.WordBytes
		w := wire.NewWriter(p, s.rounds)
		for t := range s.threads {
			values := s.threads[t].values[k]
			whole[k] = whole[k] && len(values) == s.rounds*p.Reads(gen.ThreadID(t))*gen.WordBytes
			logs[k] = w.Append(logs[k], wire.Thread, uint32(t), values)
		}
		if !whole[k] {
			break
		}
		logs[k] = w.Append(logs[k], wire.Final, 0, s.final.values[k])
	}
	return logs, whole
}

// fault is what is wrong with the reports, nil for nothing.
func (s *sums) fault() error {
	var faults []error
	for t := range s.threads {
		if err := s.threads[t].fault; err != nil {
			faults = append(faults, fmt.Errorf("thread %d: %w", t, err))
		}
	}
	if err := s.final.fault; err != nil {
		faults = append(faults, fmt.Errorf("final values: %w", err))
	}
	return errors.Join(faults...)
}
