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
		if len(args) == 0 && !asJSON {
			return listModels(e.Stdout, e.Columns())
		}
		wanted := model.Named()
		if len(args) > 0 {
			var err error
			if wanted, err = config.ParseModels(args[0]); err != nil {
				return command.Usage(err)
			}
		}
		list, err := guide(ctx, wanted)
		switch {
		case err != nil:
			return err
		case asJSON:
			return e.PrintJSON(map[string][]modelGuide{"models": list})
		}
		for i := range list {
			if i > 0 {
				fmt.Fprintln(e.Stdout)
			}
			list[i].print(e.Stdout)
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
		stronger := strings.Join(modelNames(model.Stronger(entry.Model)), ", ")
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

func modelNames(models []model.Model) []string {
	list := []string{}
	for _, m := range models {
		list = append(list, m.Name)
	}
	return list
}

// modelGuide is the guide's entry of a model, as models --json prints it.
type modelGuide struct {
	Name        string       `json:"name"`
	Text        string       `json:"text"`
	Source      string       `json:"source"`
	Implies     []string     `json:"implies"`
	Stronger    []string     `json:"next_stronger"`
	Separations []separation `json:"separations,omitempty"`
}

// separation is a history that the model allows and a stronger one forbids, in the
// notation of Axe. Smallest says that no shorter one does.
type separation struct {
	Stronger  string   `json:"stronger"`
	Text      string   `json:"text"`
	History   string   `json:"history"`
	Smallest  bool     `json:"smallest"`
	Allowed   []string `json:"allowed_by"`
	Forbidden []string `json:"forbidden_by"`
	history   *parse.History
}

// guide returns the guide's entries of models.
func guide(ctx context.Context, wanted []model.Model) ([]modelGuide, error) {
	list := []modelGuide{}
	for _, m := range wanted {
		for _, entry := range model.Descriptions() {
			if m.Name != entry.Model.Name {
				continue
			}
			g := modelGuide{Name: m.Name, Text: entry.Text, Source: entry.Source, Implies: []string{}, Stronger: modelNames(model.Stronger(m))}
			for _, other := range model.All() {
				if other.Name != m.Name && model.Implies(m, other) {
					g.Implies = append(g.Implies, other.Name)
				}
			}
			for _, b := range entry.Separations {
				s, err := separate(ctx, &b)
				if err != nil {
					return nil, err
				}
				g.Separations = append(g.Separations, s)
			}
			list = append(list, g)
		}
	}
	return list, nil
}

// separate reads a history that sets models apart, and lists those that allow and
// forbid it.
func separate(ctx context.Context, b *model.Separation) (s separation, err error) {
	trace, err := axe.NewReader(strings.NewReader(b.Trace()), b.History).Next()
	if err = errors.Join(err, trace.Err); err != nil {
		return s, err
	}
	s = separation{Stronger: b.Stronger, Text: b.Text, History: b.Trace(), Smallest: !b.OnlyKnown, history: trace.History, Allowed: []string{}, Forbidden: []string{}}
	for _, other := range model.All() {
		v, err := check.Check(ctx, trace.History, other, check.Options{})
		if err != nil {
			return s, err
		}
		if v.Answer == check.Allowed {
			s.Allowed = append(s.Allowed, other.Name)
		} else {
			s.Forbidden = append(s.Forbidden, other.Name)
		}
	}
	return s, nil
}

// print prints the entry.
func (g *modelGuide) print(w io.Writer) {
	fmt.Fprintf(w, "%s\n\n%s\n\nfrom        %s\n", g.Name, messages.Wrap(g.Text, "", "", 80), g.Source)
	if len(g.Implies) > 0 {
		fmt.Fprintf(w, "implies     %s\n", strings.Join(g.Implies, ", "))
	}
	for _, s := range g.Separations {
		which := "smallest"
		if !s.Smallest {
			which = "smallest known"
		}
		fmt.Fprintf(w, "\n%s allows and %s forbids (%d operations, the %s):\n%s\n\n", g.Name, s.Stronger, len(s.history.Ops), which, messages.Wrap(s.Text, "", "", 80))
		for _, line := range columns(s.history) {
			fmt.Fprintf(w, "  %s\n", line)
		}
		fmt.Fprintf(w, "\n  allowed by    %s\n  forbidden by  %s\n", strings.Join(s.Allowed, ", "), strings.Join(s.Forbidden, ", "))
	}
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
