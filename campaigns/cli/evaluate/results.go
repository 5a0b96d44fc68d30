package evaluate

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/litmus"
	"ordeal/check"
	"ordeal/parse/formats/litmus7"
)

// checkResults compares the final states of a log of litmus7 or herd7 with those that
// models allow, a line for each test and one for each state that a model forbids.
func (c *evaluate) checkResults(name string, r io.Reader) error {
	if c.json || c.explain || c.kernel || len(c.serializability) > 0 {
		return command.Usage(fmt.Errorf("%s holds final states: only --model, --tests and --format apply", name))
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	results, err := litmus7.Parse(name, data)
	if err != nil {
		c.worsen(check.Unknown)
		_, err = fmt.Fprintf(c.Stdout, "unknown %s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
		return err
	}
	tests := litmus.LogTests(name, data)
	if len(c.tests) > 0 {
		more, err := litmus.Load(c.tests)
		if err != nil {
			fmt.Fprintf(c.Stderr, "%v\n", err)
		}
		tests = append(tests, more...)
	}
	byName := map[string]*litmus.Test{}
	for _, t := range tests {
		byName[t.Name] = t
	}
	var models []string
	for _, m := range c.picked {
		models = append(models, m.Name)
	}
	for i := range results {
		if err := c.printResult(&results[i], byName[results[i].Test], models); err != nil {
			return err
		}
	}
	return nil
}

func (c *evaluate) printResult(r *litmus7.Result, t *litmus.Test, models []string) error {
	list := litmus.Evaluate(r, t, models)
	texts := make([]string, len(list))
	// That the strongest model forbids a state is no fault of the machine, unless it
	// was asked for: the last one answers.
	for k := range list {
		texts[k] = list[k].String()
	}
	last := list[len(list)-1:]
	if len(models) > 0 {
		last = list
	}
	for _, j := range last {
		switch {
		case j.Unknown != "":
			c.worsen(check.Unknown)
		case len(j.Forbidden) > 0:
			c.worsen(check.Forbidden)
		}
	}
	if _, err := fmt.Fprintf(c.Stdout, "%s: %d states: %s\n", strings.TrimSpace(r.Test+" "+r.Log), len(r.States), strings.Join(texts, ", ")); err != nil {
		return err
	}
	for i := range r.States {
		var by []string
		for _, j := range list {
			if slices.ContainsFunc(j.Forbidden, func(s litmus7.State) bool { return s.String() == r.States[i].String() }) {
				by = append(by, j.Model)
			}
		}
		if by == nil {
			continue
		}
		if _, err := fmt.Fprintf(c.Stdout, "  %s  seen %d times, forbidden by %s\n", &r.States[i], r.States[i].Count, strings.Join(by, ", ")); err != nil {
			return err
		}
	}
	return nil
}
