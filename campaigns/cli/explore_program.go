package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/exploration"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/summary"
)

// programs are those of --program and --shape, each with every placement of its
// threads; none: any access at any time.
func (x *exploreRun) programs() ([]exploration.Program, error) {
	all, err := exploration.Shapes(x.spec.Explore.Shape)
	if err != nil {
		return nil, command.Usage(err)
	}
	if x.program != "" {
		p, _, err := readProgram(x.env, x.program, x.spec.Explore.MaxMemory)
		if err != nil {
			return nil, err
		}
		all = append(all, exploration.Named{Name: x.program, Program: p})
	}
	list, err := x.spec.Placed(all)
	if err != nil {
		return nil, command.Usage(err)
	}
	return list, nil
}

// explorePrograms explores one program after the other, and prints a line for
// each and all that was found.
func (x *exploreRun) explorePrograms(ctx context.Context, list []exploration.Program) error {
	mode, err := x.show.Resolve(x.Terminal)
	if err != nil {
		return command.Usage(err)
	}
	finding, undecided := false, false
	var results []*exploration.ProgramResult
	for i := range list {
		line, note := showSearch(x.env, mode, fmt.Sprintf("%s, %d of %d: ", list[i].Name, i+1, len(list)))
		x.o.Progress = note
		r, err := exploration.RunProgram(ctx, &x.spec, &list[i], x.o)
		line.Close()
		if err != nil {
			return fmt.Errorf("explore %s: %w", list[i].Name, err)
		}
		results = append(results, r)
		finding, undecided = finding || len(r.Findings) > 0, undecided || !r.Complete()
		if !x.json {
			x.printProgram(r)
		}
	}
	if err := exploration.WritePrograms(x.o.Dir, &x.spec, results); err != nil {
		return err
	}
	if x.json {
		if err := x.PrintJSON(map[string]any{"programs": results}); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(x.Stdout, "%-10s %s\n", "directory", x.o.Dir)
	}
	switch {
	case finding:
		return command.Exit(summary.ExitFinding)
	case undecided:
		return command.Exit(summary.ExitUndecided)
	}
	return nil
}

func (x *exploreRun) printProgram(r *exploration.ProgramResult) {
	w := x.Stdout
	cores := strings.Trim(strings.ReplaceAll(fmt.Sprint(r.Placement), " ", ","), "[]")
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
		fmt.Fprintf(w, "  %-18s %s: %s\n", "violation", f.Property, messages.EscapeLine(f.Title))
		printSteps(w, f)
	}
}

// runPrograms checks the flags, makes the directory and explores programs.
func (x *exploreRun) runPrograms(ctx context.Context, changed func(flag string) bool) error {
	if x.resume != "" {
		return command.Usage(errors.New("--resume contradicts --program and --shape"))
	}
	if x.spec.Explore.Liveness != "" {
		return command.Usage(errors.New("--liveness contradicts --program and --shape, which come to an end"))
	}
	list, err := x.programs()
	if err != nil {
		return err
	}
	if err := x.prepare(changed); err != nil {
		return err
	}
	return x.explorePrograms(ctx, list)
}
