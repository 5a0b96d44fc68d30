package dbcop

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

// WriteText writes a history in the text form, a transaction a line. It
// refuses one with anything but reads and writes. What the form has no words
// for is left out: names of threads, final values, the order of writes and
// dependencies. Locations are named by Variables.
func WriteText(w io.Writer, h *parse.History) error {
	return trace.Write(w, "dbcop text", func(out *bufio.Writer) error {
		if err := trace.CheckPlain(h, math.MaxUint64); err != nil {
			return err
		}
		variables := Variables(h.Locations)
		for t := range h.Threads() {
			if t > 0 {
				out.WriteString("---\n")
			}
			for tx := range h.Blocks(t) {
				separator := byte('[')
				for id := tx.First; id < tx.End; id++ {
					op := &h.Ops[id]
					line := append(append(out.AvailableBuffer(), separator), variables[op.Loc]...)
					switch {
					case op.Kind == parse.Write:
						line = strconv.AppendUint(append(line, ":="...), uint64(op.Write), 10)
					case op.Read == 0:
						line = append(line, "==?"...)
					default:
						line = strconv.AppendUint(append(line, "=="...), uint64(op.Read), 10)
					}
					out.Write(line)
					separator = ' '
				}
				out.WriteString("]\n")
			}
		}
		return nil
	})
}

// WriteJSON writes a history in the JSON form, a transaction a line. It refuses
// and leaves out what WriteText does. Locations are numbers: their names, or
// their indices where some name is none. The times of start and end are those of
// the epoch, since a history has none.
func WriteJSON(w io.Writer, h *parse.History) error {
	return trace.Write(w, "dbcop JSON", func(out *bufio.Writer) error { return writeJSON(out, h) })
}

func writeJSON(out *bufio.Writer, h *parse.History) error {
	if err := trace.CheckPlain(h, math.MaxUint64); err != nil {
		return err
	}
	transactions, events := sizes(h)
	fmt.Fprintf(out, `{"params":{"id":0,"n_node":%d,"n_variable":%d,"n_transaction":%d,"n_event":%d},`+"\n",
		h.Threads(), len(h.Locations), transactions, events)
	out.WriteString(`"info":"","start":"1970-01-01T00:00:00Z","end":"1970-01-01T00:00:00Z","data":[`)
	writer := jsonWriter{h: h, variables: trace.Numbered(h.Locations)}
	session := "\n["
	for t := range h.Threads() {
		out.WriteString(session)
		session = ",\n["
		separator := "\n"
		for tx := range h.Blocks(t) {
			out.WriteString(separator)
			separator = ",\n"
			out.Write(writer.transaction(tx))
		}
		out.WriteString("]")
	}
	out.WriteString("]}\n")
	return nil
}

// sizes are the most transactions of a thread and operations of a transaction.
func sizes(h *parse.History) (transactions, events int) {
	for t := range h.Threads() {
		n := 0
		for tx := range h.Blocks(t) {
			n++
			events = max(events, int(tx.End-tx.First))
		}
		transactions = max(transactions, n)
	}
	return transactions, events
}

type jsonWriter struct {
	h         *parse.History
	variables []string
	line      []byte
}

// transaction is the text of a transaction, until the next call.
func (j *jsonWriter) transaction(tx parse.Transaction) []byte {
	j.line = append(j.line[:0], `{"events":[`...)
	for id := tx.First; id < tx.End; id++ {
		if id > tx.First {
			j.line = append(j.line, ',')
		}
		op := &j.h.Ops[id]
		j.event(op.Kind == parse.Write, j.variables[op.Loc], max(op.Read, op.Write))
	}
	j.line = append(j.line, `],"committed":true}`...)
	return j.line
}

func (j *jsonWriter) event(write bool, variable string, value gen.Value) {
	kind := `{"Read":{"variable":`
	if write {
		kind = `{"Write":{"variable":`
	}
	j.line = append(append(append(j.line, kind...), variable...), `,"version":`...)
	if value == 0 {
		j.line = append(j.line, "null"...)
	} else {
		j.line = strconv.AppendUint(j.line, uint64(value), 10)
	}
	j.line = append(j.line, `}}`...)
}
