package oplog

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"

	"ordeal/gen"
	"ordeal/parse"
	"ordeal/parse/formats/internal/trace"
)

// Write writes a history, thread after thread. It refuses one with anything
// but reads and writes, and in Plume's dialect with values above MaxValue.
// What the dialect has no words for is left out: final values, the order of
// writes and dependencies, and in gem5's dialect transactions. In Plume's,
// names that are not numbers are replaced by the indices of what they name.
// Transactions, or operations, are numbered from 0.
func Write(w io.Writer, h *parse.History, d Dialect) error {
	limit := gen.Value(math.MaxUint64)
	threads, locations := trace.Threads(h), h.Locations
	if d == Plume {
		limit = MaxValue
		threads, locations = trace.Numbered(threads), trace.Numbered(locations)
	}
	if err := trace.Check(h, limit); err != nil {
		return fmt.Errorf("write %s: %w", d, err)
	}
	out := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	number := int64(0) // of the transaction or operation
	for t := range h.Threads() {
		err := trace.Blocks(h, t, func(tx parse.Transaction) error {
			for id := tx.First; id < tx.End; id++ {
				op := &h.Ops[id]
				line = append(line[:0], "r("...)
				if op.Kind == parse.Write {
					line[0] = 'w'
				}
				line = append(append(line, locations[op.Loc]...), ',')
				line = append(strconv.AppendUint(line, uint64(max(op.Read, op.Write)), 10), ',')
				line = append(append(line, threads[t]...), ',')
				line = append(strconv.AppendInt(line, number, 10), ")\n"...)
				if _, err := out.Write(line); err != nil {
					return err
				}
				if d == GEM5 {
					number++
				}
			}
			if d == Plume {
				number++
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("write %s: %w", d, err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write %s: %w", d, err)
	}
	return nil
}

// String names the dialect for people.
func (d Dialect) String() string {
	if d == GEM5 {
		return "a log of operations"
	}
	return "Plume text"
}
