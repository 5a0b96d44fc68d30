package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ordeal/campaigns/audit/exploration"
	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report/progress"
	"ordeal/campaigns/run"
	"ordeal/sim"
	"ordeal/sim/explore/search"
)

// exploredOptions are the options of a machine that an exploration has.
var exploredOptions = []string{
	"protocol", "slicc", "builtins", "slicc-path", "machine-file", "repair", "mutant", "core", "cores", "dirs", "l2-banks", "private-cache", "shared-cache", "tbes",
	"reorder", "buffer-size", "set-parameter",
}

// resumedFlags are those that do not say what is explored.
var resumedFlags = []string{
	"resume", "keep-going", "max-states", "max-depth", "max-time", "max-memory", "workers", "json", "coverage", "progress", "quiet", "cpuprofile",
}

func newExplore(e *env) *cobra.Command {
	x := exploreRun{env: e}
	cmd := &cobra.Command{
		Use:   "explore --protocol NAME | --slicc FILE | --resume DIR",
		Short: "Visit every reachable state of a small machine",
		Long: `Visit every state that a small machine with a coherence protocol can reach: any core
accesses any line at any time, and messages take any time. What a simulation finds
by chance is found if it is there at all, by a shortest path; what is not found does
not exist, up to this number of cores and lines. Without --cores, --lines or another
size ever larger machines are explored, until something is found or --max-time (1m) is over.

With --program or --shape cores run programs: every outcome that can be reached is
checked against the model that the cores promise, and those of the model that cannot
be reached are listed.

A search that is ended by a limit or by SIGINT leaves a checkpoint, from which
--resume continues it, with the limits of the new command. Each program has its own;
those that were visited whole are not visited again.`,
		Example: `  ordeal explore --protocol mi
  ordeal explore --protocol mi --lines 2
  ordeal explore --slicc TREE/src/mem/ruby/protocol/MESI_Two_Level.slicc --cores 3 --max-time 10m`,
		Args: command.Arguments(0, 0, "no arguments"),
	}
	fs := cmd.Flags()
	command.Declare(cmd, &x.spec.Machine, exploredOptions...)
	fs.Lookup("protocol").Usage = "coherence protocol of ordeal"
	command.Declare(cmd, &x.spec.Explore)
	fs.IntVar(&x.o.Workers, "workers", 0, "states expanded at a time; 0 means one for each processor")
	fs.StringVar(&x.o.Dir, "dir", "", "directory to create (default runs/explore-TIME)")
	fs.StringVar(&x.program, "program", "", "run this program, as gen prints it or a litmus test, in place of any access at any time; - is standard input")
	fs.StringVar(&x.resume, "resume", "", "continue the search of this directory")
	fs.BoolVar(&x.json, "json", false, "print the result as JSON")
	fs.BoolVar(&x.rows, "coverage", false, "print which transitions of the protocol are reached, too")
	x.show.Declare(fs)
	completeMutants(cmd)
	command.Common(cmd, "protocol", "slicc", "mutant", "core", "cores", "lines", "shape", "max-time", "max-states", "resume")
	cmd.RunE = command.Body(func(ctx context.Context, _ []string) error {
		if err := command.Contradict(cmd, "protocol", "slicc"); err != nil {
			return err
		}
		if err := x.prepare(fs); err != nil {
			return err
		}
		return x.explore(ctx)
	})
	return cmd
}

// exploreRun is the explore command.
type exploreRun struct {
	*env
	spec       exploration.Spec
	o          exploration.Options
	show       progress.Flags
	resume     string
	json, rows bool
	program    string
	grows      bool // the machine, as the command names no size
}

// prepare checks the flags, and makes or finds the directory.
func (x *exploreRun) prepare(fs *pflag.FlagSet) error {
	if x.o.Workers < 0 {
		return command.Usage(fmt.Errorf("--workers %d: want at least 0", x.o.Workers))
	}
	if x.resume == "" {
		if err := x.programs(fs); err != nil {
			return err
		}
		if _, err := config.Explored(x.spec.Machine, &x.spec.Explore); err != nil {
			return command.Usage(err)
		}
		x.grows = growing(fs)
		x.spec.Command, x.spec.Started = x.Args, time.Now()
		x.spec.Tools = run.ExplorationVersions(&x.spec.Machine)
		return x.makeDir("explore")
	}
	var against []string
	fs.Visit(func(f *pflag.Flag) {
		if !slices.Contains(resumedFlags, f.Name) {
			against = append(against, f.Name)
		}
	})
	if len(against) > 0 {
		return command.Usage(fmt.Errorf("--%s contradicts --resume: the directory says what is explored", against[0]))
	}
	x.o.Dir, x.o.Resume = run.Resolve(x.resume), true
	recorded, err := exploration.Read(x.o.Dir)
	if err != nil {
		return command.Usage(err)
	}
	if err := run.LockDir(x.o.Dir); err != nil {
		return err
	}
	given := x.spec.Explore
	x.spec = *recorded
	x.spec.Tools = run.ExplorationVersions(&x.spec.Machine)
	e := &x.spec.Explore
	e.KeepGoing, e.MaxStates, e.MaxDepth, e.MaxTime, e.MaxMemory = given.KeepGoing, given.MaxStates, given.MaxDepth, given.MaxTime, given.MaxMemory
	return nil
}

// makeDir makes the directory, which has a default name if it has none, and locks it.
func (x *exploreRun) makeDir(name string) error {
	var err error
	if x.o.Dir, err = command.OutputDir(x.o.Dir, name); err != nil {
		return err
	}
	if err := run.LockDir(x.o.Dir); err != nil {
		return err
	}
	if exploration.Is(x.o.Dir) || exploration.Is(filepath.Join(x.o.Dir, "1")) {
		return command.Usage(fmt.Errorf("--dir %s has an exploration: remove it, or continue it with --resume", x.o.Dir))
	}
	return nil
}

func (x *exploreRun) explore(ctx context.Context) error {
	x.o.Alone = true
	if x.spec.Programs != nil {
		return x.explorePrograms(ctx)
	}
	if x.grows {
		return x.grow(ctx)
	}
	return x.run(ctx)
}

func (x *exploreRun) run(ctx context.Context) error {
	mode, err := x.show.Resolve(x.Terminal)
	if err != nil {
		return command.Usage(err)
	}
	line, note := showSearch(x.env, mode, "")
	x.o.Progress = note
	r, err := exploration.Run(ctx, &x.spec, x.o)
	line.Close()
	if unusable(err) {
		return command.Usage(err)
	}
	if r == nil {
		return err
	}
	out := struct {
		Dir string `json:"dir"`
		*exploration.Result
	}{x.o.Dir, r}
	// What was found is printed although it could not be written.
	err = errors.Join(err, x.Print(x.json, out, func(io.Writer) error { return x.print(r) }))
	return x.Found(exploreStatus(r), err)
}

// unusable reports whether an error is of a machine that cannot be explored, or of a
// directory that nothing goes on from.
func unusable(err error) bool {
	_, bad := errors.AsType[*exploration.MachineError](err)
	return bad || errors.Is(err, exploration.ErrNoCheckpoint)
}

// exploreStatus is the exit status of an exploration.
func exploreStatus(r *exploration.Result) int {
	switch {
	case len(r.Findings) > 0:
		return summary.ExitFinding
	case !r.Complete():
		return summary.ExitUndecided
	}
	return summary.ExitOK
}

// print prints what was visited and what was found.
func (x *exploreRun) print(r *exploration.Result) error {
	w := x.Stdout
	fmt.Fprintf(w, "%-10s %s orbits of %s states, %s steps, depth %d, in %.2f s\n", "visited",
		comma(r.Orbits), comma(r.States), comma(r.Steps), r.Depth, r.Elapsed.Seconds())
	if r.Ranked {
		fmt.Fprintf(w, "%-10s of %s: names make a difference to this protocol\n", "symmetry", r.Symmetry)
	}
	fmt.Fprintf(w, "%-10s %.1f bytes for each orbit, %s for what controllers do\n", "memory", r.BytesPerState, config.Size(r.Components>>10<<10))
	fmt.Fprintf(w, "%-10s two states are taken for one with a probability of at most %.1g\n", "omission", r.Omission)
	x.printFindings(r.Findings)
	switch {
	case !r.Complete():
		fmt.Fprintf(w, "%-10s incomplete after %s orbits of states, depth %d: limit of %s\n", "end", comma(r.Orbits), r.Depth, limitText[r.Limit])
	case len(r.Findings) == 0:
		except := ""
		if list := x.spec.Explore.Ignore; len(list) > 0 {
			except = " but " + strings.Join(list, ", ")
		}
		fmt.Fprintf(w, "%-10s every property%s holds in all reachable states of %s\n", "holds", except, x.scope())
	}
	if err := x.printRows(r.Coverage); err != nil {
		return err
	}
	fmt.Fprintf(w, "%-10s %s\n", "directory", x.o.Dir)
	x.printNext(r)
	return nil
}

// printFindings prints each violation with its path.
func (x *exploreRun) printFindings(list []exploration.Finding) {
	for i := range list {
		f := &list[i]
		fmt.Fprintf(x.Stdout, "\n%-10s %s\n", "violation", messages.EscapeLine(f.Head()))
		for line := range strings.Lines(f.Detail) {
			fmt.Fprintf(x.Stdout, "%-10s %s\n", "", messages.EscapeLine(strings.TrimSuffix(line, "\n")))
		}
		printSteps(x.Stdout, f)
	}
	if len(list) > 0 {
		fmt.Fprintln(x.Stdout)
	}
}

// scope is the size of the machine: what holds in it is not known of larger ones.
func (x *exploreRun) scope() exploration.Size {
	e := &x.spec.Explore
	return exploration.Size{Cores: cmp.Or(x.spec.Machine.Cores, config.DefaultExploredCores), Lines: cmp.Or(e.Lines, 1), Devices: e.DMA}
}

// printRows prints how many rows of the protocol were reached, those that never were, and with
// --coverage the others, too.
func (x *exploreRun) printRows(c sim.Coverage) error {
	fmt.Fprintf(x.Stdout, "%-10s %d of %d transitions reached\n", "rows", c.Taken(), len(c))
	if _, err := c.WriteTo(x.Stdout); err != nil || !x.rows {
		return err
	}
	_, err := c.WriteTaken(x.Stdout)
	return err
}

// printNext prints the commands to type next.
func (x *exploreRun) printNext(r *exploration.Result) {
	program, dir := messages.Quoted(x.Args[0]), messages.QuotedPath(x.o.Dir)
	if len(r.Findings) > 0 {
		fmt.Fprintf(x.Stdout, "%-10s %s repro %s\n", "repeat", program, dir)
	} else if left := len(r.Coverage) - r.Coverage.Taken(); left > 0 && r.Complete() {
		fmt.Fprintf(x.Stdout, "%-10s %s rows need a larger machine, or nothing reaches them: --lines, --cores, --dma, --outstanding\n", "not shown", comma(uint64(left)))
	}
	if r.Checkpoint {
		fmt.Fprintf(x.Stdout, "%-10s %s explore --resume %s\n", "continue", program, dir)
	}
}

// printSteps prints the path of a finding.
func printSteps(w io.Writer, f *exploration.Finding) {
	for i, step := range f.Steps {
		if f.Cycle > 0 && i == len(f.Steps)-f.Cycle {
			fmt.Fprintf(w, "%-10s\n", "for ever")
		}
		fmt.Fprintf(w, "%10d %s\n", i+1, messages.EscapeLine(step))
	}
}

// limitText says what the limits are.
var limitText = map[search.Limit]string{
	search.StateLimit: "states", search.DepthLimit: "depth", search.MemoryLimit: "memory", search.TimeLimit: "time",
	search.Interrupted: "patience: it was interrupted", search.FaultLimit: "violations: --keep-going goes on",
}

// showSearch shows in a mode how a search goes, after what it is of.
func showSearch(e *env, mode, what string) (line *progress.Line, note func(search.Progress)) {
	line = progress.NewLine(e.Stderr, e.Terminal, mode, what+"compile the protocol")
	return line, func(now search.Progress) {
		rate := uint64(float64(now.Expanded) / max(line.Elapsed().Seconds(), 0.001))
		text := fmt.Sprintf("%s orbits, %s to expand, depth %d, %s/s, %s", comma(now.Orbits), messages.Comma(now.Queue), now.Depth, comma(rate), config.Size(now.Memory>>20<<20))
		if now.Estimate > now.Orbits {
			text += fmt.Sprintf(", perhaps %s in all", comma(now.Estimate))
			if rate > 0 {
				left := time.Duration((now.Estimate-now.Expanded)/rate) * time.Second
				text += fmt.Sprintf(", %s left", left)
			}
		}
		line.Show("%s%s", what, text)
	}
}

func comma(n uint64) string { return messages.Comma(int(n)) }

// replay takes the steps of the counterexamples of an exploration again.
func (r *repeat) replay(dir string) error {
	spec, err := exploration.Read(dir)
	if err != nil {
		return command.Usage(err)
	}
	recorded, err := exploration.ReadResult(dir)
	if err != nil {
		return command.Usage(err)
	}
	if len(recorded.Findings) == 0 {
		return command.Usage(fmt.Errorf("repro %s: the exploration found nothing", dir))
	}
	recurred := 0
	var all []replayed
	for i := range recorded.Findings {
		f := &recorded.Findings[i]
		steps, recurs, err := exploration.Replay(spec, f)
		out := replayed{head: f.Head(), Property: f.Property.String(), Title: f.Title, Steps: steps, Recurs: recurs && err == nil}
		switch {
		case err != nil:
			out.Otherwise = err.Error()
		case recurs:
			recurred++
			if out.Messages, err = exploration.WriteChart(dir, spec, f); err != nil {
				return err
			}
		default:
			out.Otherwise = fmt.Sprintf("the property holds after %d steps", len(steps))
		}
		if all = append(all, out); !r.json {
			out.print(r)
		}
	}
	if r.json {
		if err := r.PrintJSON(map[string]any{"dir": dir, "findings": all}); err != nil {
			return err
		}
	}
	if recurred > 0 {
		return command.Exit(summary.ExitFinding)
	}
	return nil
}
