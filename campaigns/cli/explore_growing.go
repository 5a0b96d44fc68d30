package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"ordeal/campaigns/audit/exploration"
	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/run"
	"ordeal/sim"
	"ordeal/sim/explore/search"
)

// growingFlags do not say how large the machine is: with these alone it grows.
var growingFlags = append([]string{
	"protocol", "slicc", "builtins", "slicc-path", "mutant", "repair", "set-parameter", "channel-depth", "ignore", "dir",
}, slices.DeleteFunc(slices.Clone(resumedFlags), func(name string) bool {
	return name == "resume" || name == "max-states" || name == "max-depth"
})...)

// growingTime ends a growth that has no --max-time.
const growingTime = config.Duration(time.Minute)

// growingStates are how many states of each machine are visited before the larger ones take their turn.
var growingStates = []uint64{200_000, 2_000_000, 0}

func growing(fs *pflag.FlagSet) bool {
	grows := true
	fs.Visit(func(f *pflag.Flag) { grows = grows && slices.Contains(growingFlags, f.Name) })
	return grows
}

// grown is what was visited of one of the machines that grow.
type grown struct {
	Machine string `json:"machine"`
	Dir     string `json:"dir"`
	*exploration.Result
}

// grow explores ever larger machines, each in a directory of its own, until the time is over
// or something is found.
func (x *exploreRun) grow(ctx context.Context) error {
	mode, err := x.show.Resolve(x.Terminal)
	if err != nil {
		return command.Usage(err)
	}
	c, err := config.Explored(x.spec.Machine, &x.spec.Explore)
	if err != nil {
		return command.Usage(err)
	}
	sizes := slices.DeleteFunc(slices.Clone(exploration.Sizes), func(s exploration.Size) bool { return s.Devices > 0 && !c.Protocol.Devices() })
	timed, cancel := context.WithTimeout(ctx, time.Duration(cmp.Or(x.spec.Explore.MaxTime, growingTime)))
	defer cancel()
	all := make([]grown, len(sizes))
	for turn := range len(growingStates) * len(sizes) {
		g, size := &all[turn%len(sizes)], sizes[turn%len(sizes)]
		if timed.Err() != nil || g.Result != nil && (g.Complete() || g.Limit != search.StateLimit && g.Limit != search.FaultLimit) {
			continue
		}
		spec, o := x.spec, x.o
		spec.Machine.Cores, spec.Explore.Lines, spec.Explore.DMA = size.Cores, size.Lines, size.Devices
		spec.Explore.MaxTime, spec.Explore.MaxStates = 0, growingStates[turn/len(sizes)]
		o.Dir, o.Resume = filepath.Join(x.o.Dir, strconv.Itoa(turn%len(sizes)+1)), g.Result != nil
		if !o.Resume {
			if err = run.LockDir(o.Dir); err != nil {
				break
			}
		}
		line, note := showSearch(x.env, mode, size.String()+": ")
		o.Progress = note
		r, failed := exploration.Run(timed, &spec, o)
		line.Close()
		if unusable(failed) {
			return command.Usage(failed)
		}
		if err = errors.Join(err, failed); r == nil {
			break
		}
		*g = grown{size.String(), o.Dir, r}
		if len(r.Findings) > 0 && !spec.Explore.KeepGoing || failed != nil {
			break
		}
	}
	if all = slices.DeleteFunc(all, func(g grown) bool { return g.Result == nil }); len(all) == 0 && err != nil {
		return err
	}
	var rows sim.Coverage
	status := summary.ExitUndecided
	for _, g := range all {
		rows.Add(g.Coverage)
		switch {
		case len(g.Findings) > 0:
			status = summary.ExitFinding
		case g.Complete() && status == summary.ExitUndecided && ctx.Err() == nil:
			status = summary.ExitOK
		}
	}
	out := map[string]any{"dir": x.o.Dir, "machines": all, "rows": rows}
	err = errors.Join(err, x.Print(x.json, out, func(io.Writer) error { return x.printGrown(all, rows) }))
	return x.Found(status, err)
}

// printGrown prints what holds of which machines, what was found, and the rows that none has shown.
func (x *exploreRun) printGrown(all []grown, rows sim.Coverage) error {
	w, program := x.Stdout, messages.Quoted(x.Args[0])
	for _, g := range all {
		what, end := "holds", ""
		if !g.Complete() {
			what, end = "not whole", ", limit of "+limitText[g.Limit]
		}
		if len(g.Findings) > 0 {
			what = "violated"
		}
		fmt.Fprintf(w, "%-10s %s: %s orbits of %s states, depth %d%s\n", what, g.Machine, comma(g.Orbits), comma(g.States), g.Depth, end)
		x.printFindings(g.Findings)
		if len(g.Findings) > 0 {
			fmt.Fprintf(w, "%-10s %s repro %s\n", "repeat", program, messages.QuotedPath(g.Dir))
		}
		if g.Checkpoint {
			fmt.Fprintf(w, "%-10s %s explore --resume %s\n", "continue", program, messages.QuotedPath(g.Dir))
		}
	}
	var whole []string
	for _, g := range all {
		if g.Complete() && len(g.Findings) == 0 {
			whole = append(whole, g.Machine)
		}
	}
	if err := x.printRows(rows); err != nil {
		return err
	}
	if left := len(rows) - rows.Taken(); left > 0 && len(whole) > 0 {
		fmt.Fprintf(w, "%-10s %s rows by no machine above, of which are proven: %s\n", "not shown", comma(uint64(left)), strings.Join(whole, "; "))
	}
	_, err := fmt.Fprintf(w, "%-10s %s\n", "directory", x.o.Dir)
	return err
}
