package command

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ordeal/campaigns/diagnose"
)

// TraceFilter are the flags that select events of a trace.
type TraceFilter struct {
	diagnose.Filter
	ticks string
}

// Flags declares them.
func (f *TraceFilter) Flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Around, "around", "", "print the events of the trace around an event of the witness, by its letter")
	cmd.Flags().StringVar(&f.Location, "location", "", "print the events of the trace of the line of a location of the program")
	cmd.Flags().StringVar(&f.ticks, "ticks", "", "print the events of the trace from tick A to tick B, as A..B")
}

// Resolve reads the flags of a command line, and says what is wrong with them.
func (f *TraceFilter) Resolve(cmd *cobra.Command) error {
	if err := Contradict(cmd, "around", "ticks"); err != nil {
		return err
	}
	for _, name := range []string{"around", "location", "ticks"} {
		if flag := cmd.Flags().Lookup(name); flag.Changed && flag.Value.String() == "" {
			return fmt.Errorf("--%s is empty", name)
		}
	}
	if f.ticks == "" {
		return nil
	}
	from, to, ok := strings.Cut(f.ticks, "..")
	var errs [2]error
	f.From, errs[0] = strconv.ParseInt(from, 10, 64)
	f.To, errs[1] = strconv.ParseInt(to, 10, 64)
	if !ok || errs[0] != nil || errs[1] != nil || f.From < 0 {
		return fmt.Errorf("--ticks %q: want two ticks, as 1000..2000", f.ticks)
	}
	f.Ticks = true
	if err := f.Validate(); err != nil {
		return fmt.Errorf("--%w", err)
	}
	return nil
}

// Named is the name of a flag that is set; empty if none is.
func (f *TraceFilter) Named() string {
	switch {
	case f.Around != "":
		return "around"
	case f.Location != "":
		return "location"
	case f.Ticks:
		return "ticks"
	}
	return ""
}

// String says what is selected.
func (f *TraceFilter) String() string {
	var parts []string
	if f.Around != "" {
		parts = append(parts, "around ("+strings.Trim(f.Around, "()")+")")
	}
	if f.Location != "" {
		parts = append(parts, "of the line of "+f.Location)
	}
	if f.Ticks {
		parts = append(parts, "in ticks "+f.ticks)
	}
	return strings.Join(parts, ", ")
}
