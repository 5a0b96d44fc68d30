package progress

import (
	"os"
	"strconv"

	"github.com/mattn/go-isatty"
	"github.com/vbauerster/cupwriter"
)

// IsTerminal reports whether w, or r, is a terminal.
func IsTerminal(w any) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	return isatty.IsTerminal(f.Fd())
}

// Columns is how many columns text to w may take: what the environment variable
// COLUMNS says, else the width of the terminal; 0 where there is no bound.
func Columns(w any) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if f, ok := w.(*os.File); ok && isatty.IsTerminal(f.Fd()) {
		columns, _, _ := console{cupwriter.New(f, false)}.GetTermSize()
		return columns
	}
	return 0
}

// console is a terminal, of the usual size where it does not know its own, as that
// of script, and of a container without one.
type console struct{ *cupwriter.Writer }

// GetTermSize is the number of columns and lines, always positive.
func (c console) GetTermSize() (columns, lines int, err error) {
	columns, lines, err = c.Writer.GetTermSize()
	if err != nil || columns <= 0 {
		columns = 80
	}
	if err != nil || lines <= 0 {
		lines = 24
	}
	return columns, lines, nil
}
