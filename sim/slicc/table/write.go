package table

import (
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// widest bounds the columns of text, in characters.
const widest = 24

// WriteText writes a table in blocks of as many events as fit into a width.
// Cells are cut at 24 characters.
func (t *Table) WriteText(w io.Writer, width int) error {
	first := columnWidth("", t.States)
	var b strings.Builder
	for from := 0; from < len(t.Events); {
		line := first
		to := from
		var widths []int
		for to < len(t.Events) {
			n := t.eventWidth(to)
			if to > from && line+2+n > width {
				break
			}
			line += 2 + n
			widths = append(widths, n)
			to++
		}
		if from > 0 {
			b.WriteByte('\n')
		}
		write := func(head string, cell func(event int) string) {
			text := pad(head, first)
			for i := from; i < to; i++ {
				text += "  " + pad(cell(i), widths[i-from])
			}
			b.WriteString(strings.TrimRight(text, " ") + "\n")
		}
		write("", func(i int) string { return t.Events[i] })
		b.WriteString(strings.Repeat("─", line) + "\n")
		for s, name := range t.States {
			write(name, func(i int) string { return t.Cells[s][i].String() })
		}
		from = to
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *Table) eventWidth(event int) int {
	cells := make([]string, len(t.States))
	for i := range cells {
		cells[i] = t.Cells[i][event].String()
	}
	return columnWidth(t.Events[event], cells)
}

func columnWidth(head string, cells []string) int {
	n := utf8.RuneCountInString(head)
	for _, c := range cells {
		n = max(n, min(widest, utf8.RuneCountInString(c)))
	}
	return n
}

// pad fills a text up to n characters, or cuts it there.
func pad(text string, n int) string {
	runes := []rune(text)
	if len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return text + strings.Repeat(" ", n-len(runes))
}

var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Parse(text))
})

const text = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{{.Name}}</title>
<style>
:root{color-scheme:light dark;--line:#8884;--head:light-dark(#f2f4f7,#22262c);--stall:light-dark(#fff3d6,#3d3315);--page:light-dark(#fff,#15181c)}
body{font:14px/1.4 system-ui,sans-serif;margin:1rem;background:var(--page)}
h2{margin:1.5rem 0 .3rem} p{margin:.3rem 0;max-width:70ch}
.wide{overflow:auto;max-height:85vh;border:1px solid var(--line)}
table{border-collapse:separate;border-spacing:0;font-size:12px}
th,td{border-right:1px solid var(--line);border-bottom:1px solid var(--line);padding:.2rem .4rem;text-align:left;vertical-align:top;white-space:nowrap}
thead th{position:sticky;top:0;background:var(--head);z-index:1}
tbody th{position:sticky;left:0;background:var(--head)}
thead th:first-child{left:0;z-index:2}
td.none{background:repeating-linear-gradient(45deg,transparent 0 4px,var(--line) 4px 5px)}
td.stall{background:var(--stall)}
td b{font-weight:600}
</style></head><body>
<h1>{{.Name}}</h1>
<p>Rows are states and columns are events. A cell has the short names of its actions and, after /, the next state if it
is another one; hold the pointer over it for the names and the place in the source. Hatched: no transition, which ends a
simulation. Tables scroll sideways.</p>
{{range .Tables}}<h2>{{.Machine}}</h2>
<p>{{len .States}} states, {{len .Events}} events, {{.Handled}} transitions.</p>
<div class="wide" tabindex="0" role="region" aria-label="{{.Machine}}"><table><thead><tr><th></th>{{range .Events}}<th scope="col">{{.}}</th>{{end}}</tr></thead>
<tbody>{{$t := .}}{{range $i, $row := .Cells}}<tr><th scope="row">{{index $t.States $i}}</th>
{{- range $row}}{{if .}}<td{{if .Stall}} class="stall"{{end}} title="{{range .Names}}{{.}}
{{end}}{{.Place}}">{{if .Stall}}stall{{else}}{{range $k, $a := .Actions}}{{if $k}} {{end}}{{$a}}{{end}}{{if .Next}} <b>/{{.Next}}</b>{{end}}{{end}}</td>{{else}}<td class="none"></td>{{end}}{{end}}</tr>
{{end}}</tbody></table></div>
{{end}}</body></html>
`

// WriteHTML writes a page with the tables of a protocol: one file without
// scripts or network requests.
func WriteHTML(w io.Writer, name string, tables []*Table) error {
	if err := page().Execute(w, struct {
		Name   string
		Tables []*Table
	}{name, tables}); err != nil {
		return fmt.Errorf("write tables of %s: %w", name, err)
	}
	return nil
}
