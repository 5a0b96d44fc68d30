package evaluate

import (
	"io"
	"strings"
)

// answerWriter prints the answers about traces, each part behind the trace's
// place where there are several. Whether a file has more than one trace is
// known only when the second one has been read, so that an answer is printed
// then, or at the end of the file.
type answerWriter struct {
	out    io.Writer
	place  string   // of the answer that is not printed
	parts  []string // its text
	follow bool     // another answer about the file has been printed
}

// write prints the answer before and keeps this one. Several says that the
// place is printed in any case.
func (w *answerWriter) write(t *Trace, several bool, parts ...string) error {
	if w.parts != nil {
		w.follow = true
		if err := w.print(true); err != nil {
			return err
		}
	}
	w.place, w.parts = t.Place, parts
	if several || t.Many || w.follow {
		return w.print(true)
	}
	return nil
}

// flush prints what is left at the end of a file.
func (w *answerWriter) flush(several bool) error {
	err := w.print(several)
	w.follow = false
	return err
}

func (w *answerWriter) print(place bool) error {
	var text strings.Builder
	for _, part := range w.parts {
		if place {
			text.WriteString(w.place + ": ")
		}
		text.WriteString(part)
	}
	w.parts = nil
	_, err := io.WriteString(w.out, text.String())
	return err
}
