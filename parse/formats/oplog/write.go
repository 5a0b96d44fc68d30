package oplog

import (
	"bufio"
	"io"
	"math"
	"strconv"

	"ordeal/gen"
	"ordeal/parse"
	"ordeal/parse/formats/internal/trace"
)

// Write writes a history, thread after thread. It refuses one with anything but
// reads and writes, and in Plume's dialect with values above MaxValue. Final
// values, the order of writes and dependencies are left out, and in gem5's
// dialect transactions. In Plume's, names that are not numbers are replaced by
// the indices of what they name. Transactions, or operations, are numbered
// from 0.
func (d Dialect) Write(w io.Writer, h *parse.History) error {
	return trace.Write(w, d.String(), func(out *bufio.Writer) error {
		limit := gen.Value(math.MaxUint64)
		threads, locations := trace.Threads(h), h.Locations
		if d == Plume {
			limit = MaxValue
			threads, locations = trace.Numbered(threads), trace.Numbered(locations)
		}
		if err := trace.CheckPlain(h, limit); err != nil {
			return err
		}
		var line []byte
		number := int64(0) // of the transaction or operation
		for t := range h.Threads() {
			for tx := range h.Blocks(t) {
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
					out.Write(line)
					if d == GEM5 {
						number++
					}
				}
				if d == Plume {
					number++
				}
			}
		}
		return nil
	})
}

// String names the dialect in messages.
func (d Dialect) String() string {
	if d == GEM5 {
		return "a log of operations"
	}
	return "Plume text"
}
