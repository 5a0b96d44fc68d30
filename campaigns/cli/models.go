package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/messages"
	"ordeal/check"
	"ordeal/check/model"
	"ordeal/parse"
	"ordeal/parse/formats/axe"
)

func newModels(e *env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "models [MODEL]",
		Short: "Explain the memory models, each by the smallest histories that set it apart",
		Long: `List the memory models, or explain one: what it says, where it comes from, which
models it implies, and for each of the next stronger models the smallest history
that tells the two apart, evaluated by all models as it is printed.`,
		Example: `  ordeal models
  ordeal models tso`,
		Args: command.Arguments(0, 1, "at most one MODEL"),
	}
	command.JSONFlag(cmd, &asJSON)
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error {
		switch {
		case len(args) == 0 && asJSON:
			return printModelsJSON(ctx, e, model.Named())
		case len(args) == 0:
			return listModels(e.Stdout, e.Columns())
		}
		found, err := config.ParseModels(args[0])
		if err != nil {
			return command.Usage(err)
		}
		if asJSON {
			return printModelsJSON(ctx, e, found)
		}
		for i, m := range found {
			if i > 0 {
				fmt.Fprintln(e.Stdout)
			}
			if err := explainModel(ctx, e.Stdout, m); err != nil {
				return err
			}
		}
		return nil
	})
	return cmd
}

// listModels prints a line for each model, wrapped where it is wider than columns; 0 means
// any number.
func listModels(w io.Writer, columns int) error {
	for _, entry := range model.Descriptions() {
		says, _, _ := strings.Cut(entry.Text, ":")
		says, _, _ = strings.Cut(says, ".")
		stronger := names(model.Stronger(entry.Model))
		if stronger != "" {
			stronger = "weaker than " + stronger
		}
		name := fmt.Sprintf("%-5s ", entry.Model.Name)
		line := strings.TrimRight(fmt.Sprintf("%s%-33s %s", name, says, stronger), " ")
		if columns > 0 && len(line) > columns {
			line = messages.Wrap(says+" "+stronger, name, strings.Repeat(" ", len(name)), max(columns, 4*len(name)))
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

func names(models []model.Model) string { return strings.Join(modelNames(models), ", ") }

func modelNames(models []model.Model) []string {
	list := []string{}
	for _, m := range models {
		list = append(list, m.Name)
	}
	return list
}

// explainModel prints the guide's entry of a model.
func explainModel(ctx context.Context, w io.Writer, m model.Model) error {
	for _, entry := range model.Descriptions() {
		if entry.Model.Name != m.Name {
			continue
		}
		fmt.Fprintf(w, "%s\n\n%s\n", m.Name, messages.Wrap(entry.Text, "", "", 80))
		fmt.Fprintf(w, "\nfrom        %s\n", entry.Source)
		if implied := implies(m); implied != "" {
			fmt.Fprintf(w, "implies     %s\n", implied)
		}
		for _, b := range entry.Separations {
			if err := besideModel(ctx, w, m, &b); err != nil {
				return err
			}
		}
	}
	return nil
}

// implies lists the models that m implies.
func implies(m model.Model) string {
	return names(implied(m))
}

func implied(m model.Model) []model.Model {
	var list []model.Model
	for _, other := range model.All() {
		if other.Name != m.Name && model.Implies(m, other) {
			list = append(list, other)
		}
	}
	return list
}

// besideModel prints a history that m allows and a stronger model forbids.
func besideModel(ctx context.Context, w io.Writer, m model.Model, b *model.Separation) error {
	h, allowed, forbidden, err := separate(ctx, b)
	if err != nil {
		return err
	}
	which := "smallest"
	if b.OnlyKnown {
		which = "smallest known"
	}
	fmt.Fprintf(w, "\n%s allows and %s forbids (%d operations, the %s):\n%s\n\n", m.Name, b.Stronger, len(h.Ops), which, messages.Wrap(b.Text, "", "", 80))
	for _, line := range columns(h) {
		fmt.Fprintf(w, "  %s\n", line)
	}
	_, err = fmt.Fprintf(w, "\n  allowed by    %s\n  forbidden by  %s\n", names(allowed), names(forbidden))
	return err
}

// separate reads a history that sets models apart, and lists those that allow and
// forbid it.
func separate(ctx context.Context, b *model.Separation) (h *parse.History, allowed, forbidden []model.Model, err error) {
	trace, err := axe.NewReader(strings.NewReader(b.Trace()), b.History).Next()
	if err = errors.Join(err, trace.Err); err != nil {
		return nil, nil, nil, err
	}
	for _, other := range model.All() {
		v, err := check.Check(ctx, trace.History, other, check.Options{})
		if err != nil {
			return nil, nil, nil, err
		}
		if v.Answer == check.Allowed {
			allowed = append(allowed, other)
		} else {
			forbidden = append(forbidden, other)
		}
	}
	return trace.History, allowed, forbidden, nil
}

// columns lays the operations of a history out, a column for each thread.
func columns(h *parse.History) []string {
	const width = 15
	var lines []string
	for t := range h.Threads() {
		for row := 0; h.Start[t]+parse.OpID(row) < h.Start[t+1]; row++ {
			if row == len(lines) {
				lines = append(lines, "")
			}
			op := string(axe.AppendOp(nil, h, h.Start[t]+parse.OpID(row)))
			if _, rest, ok := strings.Cut(op, ": "); ok {
				op = rest
			}
			lines[row] = fmt.Sprintf("%-*s%s", t*width, strings.TrimRight(lines[row], " "), op)
		}
	}
	return lines
}
