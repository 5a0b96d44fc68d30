package campaign

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report/index"
)

func newQuery(e *command.Env) *cobra.Command {
	c := queryCommand{Env: e}
	cmd := &cobra.Command{
		Use:   "query SQL",
		Short: "Ask the index of campaigns a question in SQL",
		Long: `Ask the index that ordeal campaign reindex makes a question in SQL, and print the
rows as a table, as CSV or as lines of JSON. A question is one statement that reads
the index: it can neither write nor open another file. ordeal campaign reindex --schema
documents the index; its views answer the usual questions:

  campaigns         the result of each campaign
  finding           findings, by outcome and title; finding_run, finding_history
  flaky_finding     findings that the same run shows once and not again
  canary            injected bugs: caught or not, and after how many operations
  throughput        speed of simulation and checking
  coverage_history  coverage of protocols
  runs, answers     everything, with names in place of ids`,
		Example: `  ordeal campaign query 'SELECT title, runs, first_seen, last_seen FROM finding'
  ordeal campaign query --csv 'SELECT started, config, operations_per_s FROM throughput'`,
		Args: command.Arguments(1, 1, "one SQL, quoted"),
	}
	fs := cmd.Flags()
	fs.StringVar(&c.db, "db", indexFile, "the index")
	fs.DurationVar(&c.timeout, "timeout", time.Minute, "longest time of the question")
	fs.BoolVar(&c.json, "json", false, "print a line of JSON for each row: its version, and the row")
	fs.BoolVar(&c.csv, "csv", false, "print CSV, with a line of names")
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error {
		if c.json && c.csv {
			return command.Usage(errors.New("--json contradicts --csv"))
		}
		if c.timeout <= 0 {
			return command.Usage(fmt.Errorf("--timeout %v: want a positive duration", c.timeout))
		}
		timed, cancel := context.WithTimeoutCause(ctx, c.timeout, fmt.Errorf("the question takes longer than %v (--timeout)", c.timeout))
		defer cancel()
		err := index.Query(timed, c.db, args[0], c.print)
		if err != nil && timed.Err() != nil {
			return context.Cause(timed)
		}
		return err
	})
	return cmd
}

// queryCommand is the campaign query command.
type queryCommand struct {
	*command.Env
	db        string
	timeout   time.Duration
	json, csv bool
}

// print prints rows.
func (c *queryCommand) print(rows *index.Rows) error {
	if c.json {
		return each(rows, func(values []any) error { return c.object(rows.Columns, values) })
	}
	if c.csv {
		w := csv.NewWriter(c.Data)
		if err := w.Write(rows.Columns); err != nil {
			return err
		}
		err := each(rows, func(values []any) error { return w.Write(cells(values)) })
		w.Flush()
		return errors.Join(err, w.Error())
	}
	t := messages.Table{}
	add := func(texts []string) {
		var row []any
		for i, text := range texts {
			row = append(row, messages.EscapeLine(text))
			if len(t.Rows) == 0 {
				t.Left = append(t.Left, i)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	add(rows.Columns)
	err := each(rows, func(values []any) error {
		add(cells(values))
		return nil
	})
	if _, werr := fmt.Fprint(c.Stdout, t.Fit(c.Columns())); werr != nil {
		return werr
	}
	return err
}

// each calls f with each row.
func each(rows *index.Rows, f func([]any) error) error {
	for {
		values, err := rows.Next()
		if values == nil || err != nil {
			return err
		}
		if err := f(values); err != nil {
			return err
		}
	}
}

// cells are values as text: nothing for null, hexadecimal for bytes.
func cells(values []any) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case nil:
		case []byte:
			texts[i] = hex.EncodeToString(v)
		case float64:
			texts[i] = fmt.Sprintf("%.6g", v)
		default:
			texts[i] = fmt.Sprint(v)
		}
	}
	return texts
}

// object prints a row as JSON, its columns in order.
func (c *queryCommand) object(columns []string, values []any) error {
	var b bytes.Buffer
	for i, name := range columns {
		if data, ok := values[i].([]byte); ok {
			values[i] = hex.EncodeToString(data)
		}
		key, err := json.Marshal(name)
		if err != nil {
			return err
		}
		value, err := json.Marshal(values[i])
		if err != nil {
			return fmt.Errorf("column %s: %w", name, err)
		}
		fmt.Fprintf(&b, ",%s:%s", key, value)
	}
	return c.PrintJSONLine(map[string]json.RawMessage{"row": fmt.Appendf(nil, "{%s}", bytes.TrimPrefix(b.Bytes(), []byte(",")))})
}
