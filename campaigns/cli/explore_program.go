package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"ordeal/campaigns/audit/exploration"
	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report/progress"
	"ordeal/sim/explore"
	"ordeal/sim/explore/search"
)

// programs takes in those of --program and --shape, each with every placement of its
// threads; without both any access happens at any time.
func (x *exploreRun) programs(fs *pflag.FlagSet) error {
	if x.program == "" && len(x.spec.Explore.Shape) == 0 {
		for _, flag := range config.ProgramKeys {
			if fs.Changed(flag) {
				return command.Usage(fmt.Errorf("--%s counts for programs only: want --program or --shape", flag))
			}
		}
		return nil
	}
	for _, flag := range config.FreeKeys {
		if fs.Changed(flag) {
			return command.Usage(fmt.Errorf("--%s contradicts --program and --shape, which say what is accessed, and come to an end", flag))
		}
	}
	all, err := exploration.Shapes(x.spec.Explore.Shape)
	if err != nil {
		return command.Usage(err)
	}
	if x.program != "" {
		p, _, err := readProgram(x.env, x.program, x.spec.Explore.MaxMemory)
		if err != nil {
			return err
		}
		all = append(all, exploration.Named{Name: x.program, Program: p})
	}
	if x.spec.Programs, err = x.spec.Placed(all); err != nil {
		return command.Usage(err)
	}
	return command.Usage(x.spec.CheckPrograms())
}

// explorePrograms explores one program after the other, and prints a line for
// each and all that was found.
func (x *exploreRun) explorePrograms(ctx context.Context) error {
	mode, err := x.show.Resolve(x.Terminal)
	if err != nil {
		return command.Usage(err)
	}
	list := x.spec.Programs
	var line *progress.Line
	begin := func(at int) {
		if at < len(list) {
			line, x.o.Progress = showSearch(x.env, mode, fmt.Sprintf("%s, %d of %d: ", list[at].Name, at+1, len(list)))
		}
	}
	begin(0)
	o := x.o
	o.Progress = func(now search.Progress) { x.o.Progress(now) }
	all, err := exploration.RunPrograms(ctx, &x.spec, o, func(at int, r *exploration.ProgramResult) {
		line.Close()
		if !x.json {
			x.printProgram(r)
		}
		begin(at + 1)
	})
	line.Close()
	if unusable(err) {
		return command.Usage(err)
	}
	if err != nil {
		return err
	}
	if x.json {
		if err := x.PrintJSON(map[string]any{"dir": x.o.Dir, "programs": all.Programs}); err != nil {
			return err
		}
	} else {
		if x.spec.Explore.OutcomesOnly {
			fmt.Fprintf(x.Stdout, "%-10s states from which no outcome can be reached that the model forbids, or that random runs have not shown\n", "left out")
		}
		if err := x.printRows(all.Result.Coverage); err != nil {
			return err
		}
		fmt.Fprintf(x.Stdout, "%-10s %s\n", "directory", x.o.Dir)
		x.printNext(&all.Result)
	}
	return command.Exit(exploreStatus(&all.Result))
}

func (x *exploreRun) printProgram(r *exploration.ProgramResult) {
	w := x.Stdout
	cores := strings.ReplaceAll(strings.Trim(strings.ReplaceAll(fmt.Sprint(r.Placement), " ", ","), "[]"), fmt.Sprint(explore.NoCore), "device")
	text := fmt.Sprintf("%d outcomes", r.Shown)
	if r.Allowed > 0 {
		text += fmt.Sprintf(" of the %d that %s allows", r.Allowed, r.Model)
	}
	if !r.Complete() {
		text += ", incomplete: limit of " + limitText[r.Limit]
	}
	fmt.Fprintf(w, "%-20s on cores %s: %s in %s states, %.2f s\n", r.Name, cores, text, comma(r.Orbits), r.Elapsed.Seconds())
	for _, o := range r.Never {
		fmt.Fprintf(w, "  %-18s %s\n", "never", o)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		fmt.Fprintf(w, "  %-18s %s\n", "violation", messages.EscapeLine(f.Head()))
		printSteps(w, f)
	}
}
