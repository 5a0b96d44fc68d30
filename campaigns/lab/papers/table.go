package papers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"ordeal/campaigns/internal/messages"
)

// Table is a table of measured values.
type Table struct {
	Title   string   `json:"title"`
	Columns []Column `json:"columns"`
	// Rows hold a cell for each column: a string, an int, a float64 or a
	// Seconds; nil where there is nothing to say.
	Rows [][]any `json:"rows"`
	// Note explains; it may be empty.
	Note string `json:"note,omitempty"`
}

// Column is the head of a column.
type Column struct {
	Name string `json:"name"`
	Unit string `json:"unit,omitempty"`
	// Digits are those after the point of a float64.
	Digits int `json:"digits,omitempty"`
}

// UnmarshalJSON reads a stored table: a cell with members is a Seconds.
func (t *Table) UnmarshalJSON(text []byte) error {
	type plain Table // without this method
	var rows struct {
		Rows [][]json.RawMessage `json:"rows"`
	}
	if err := errors.Join(json.Unmarshal(text, (*plain)(t)), json.Unmarshal(text, &rows)); err != nil {
		return err
	}
	for i, row := range rows.Rows {
		for k, cell := range row {
			if bytes.HasPrefix(cell, []byte("{")) {
				var s Seconds
				if err := json.Unmarshal(cell, &s); err != nil {
					return err
				}
				t.Rows[i][k] = s
			}
		}
	}
	return nil
}

// Seconds is a measured mean time.
type Seconds struct {
	Mean float64 `json:"mean"`
	// Histories are how many were measured; GaveUp those of them whose check
	// reached a limit of time or memory. The mean is then too small.
	Histories int `json:"histories"`
	GaveUp    int `json:"gave_up"`
	// Of is how many histories there are.
	Of int `json:"of"`
}

// note adds a check to the mean.
func (s *Seconds) note(c checked) {
	s.Histories++
	s.Mean += (c.spent.Seconds() - s.Mean) / float64(s.Histories)
	if c.gaveUp {
		s.GaveUp++
	}
}

// String is the time in three digits; "≥" marks a mean that some check would
// have made larger, a number in brackets one of the first histories only.
func (s Seconds) String() string {
	if s.Histories == 0 {
		return "–"
	}
	text := shortTime(s.Mean)
	if s.GaveUp > 0 {
		text = "≥ " + text
	}
	if s.Histories < s.Of {
		text += fmt.Sprintf(" (%d)", s.Histories)
	}
	return text
}

func shortTime(s float64) string {
	switch {
	case s < 0.9995e-3:
		return significant(s*1e6) + " µs"
	case s < 0.9995:
		return significant(s*1e3) + " ms"
	}
	return significant(s) + " s"
}

func significant(v float64) string {
	switch {
	case v == 0:
		return "0"
	case math.Abs(v) >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case math.Abs(v) >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

func (c *Column) cell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'f', c.Digits, 64)
	case fmt.Stringer:
		return v.String()
	}
	return fmt.Sprint(v)
}

// String is the text of a column's head.
func (c Column) String() string {
	if c.Unit == "" {
		return c.Name
	}
	return c.Name + " (" + c.Unit + ")"
}

// Text are the rows as texts.
func (t *Table) Text() [][]any {
	var rows [][]any
	for _, r := range t.Rows {
		var row []any
		for i, v := range r {
			row = append(row, t.Columns[i].cell(v))
		}
		rows = append(rows, row)
	}
	return rows
}

// String is the table with aligned columns.
func (t *Table) String() string {
	var out messages.Table
	for _, c := range t.Columns {
		out.Header = append(out.Header, c)
	}
	out.Rows = t.Text()
	text := out.String()
	if t.Title != "" {
		text = t.Title + "\n" + text
	}
	if t.Note != "" {
		text += messages.Wrap(t.Note, "", "", textWidth) + "\n"
	}
	return text
}
