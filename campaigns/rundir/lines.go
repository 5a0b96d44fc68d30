package rundir

import (
	"bufio"
	"io"
	"iter"
)

// Lines gives the lines of a file that grows by one write per line, newlines
// included. A last line without a newline was cut short and is left out. After
// an error there are no more.
func Lines(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		lines := bufio.NewReader(r)
		for {
			text, err := lines.ReadBytes('\n')
			if err == io.EOF {
				return
			}
			if !yield(text, err) || err != nil {
				return
			}
		}
	}
}
