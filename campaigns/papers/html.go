package papers

import (
	"fmt"
	"html"
	"io"
	"strings"
)

const style = `body{font:15px/1.45 sans-serif;max-width:1360px;margin:2em auto;padding:0 1.5em;color:#222}
h1{font-size:1.6em}h2{margin-top:2.4em;border-top:2px solid #ddd;padding-top:1em;font-size:1.2em}
table{border-collapse:collapse;margin:.6em 0 1em}td,th{padding:.2em .8em;text-align:right;border-bottom:1px solid #eee;white-space:nowrap}
th{border-bottom:1px solid #888;font-weight:600}td:first-child,th:first-child{text-align:left}
.quotes td{text-align:left;white-space:normal;max-width:34em;vertical-align:top}.quotes th{text-align:left}
.charts{display:flex;flex-wrap:wrap;gap:1em}.scroll{overflow-x:auto}
.dim{color:#666;font-size:.9em}nav a{margin-right:1em}caption{text-align:left;font-weight:600;padding:.4em 0}`

// WriteHTML writes the report as one page that needs nothing else.
func (r *Report) WriteHTML(w io.Writer) error {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>The papers' experiments</title>\n<style>" + style + "</style></head><body>\n")
	title, rest, _ := strings.Cut(r.head(), "\n")
	fmt.Fprintf(&b, "<h1>%s</h1>\n<pre class=\"dim\">%s</pre>\n<nav>", html.EscapeString(title), html.EscapeString(rest))
	for i := range r.Results {
		fmt.Fprintf(&b, "<a href=\"#r%d\">%s</a> ", i, html.EscapeString(r.Results[i].Name))
	}
	b.WriteString("</nav>\n")
	for i := range r.Results {
		r.Results[i].html(&b, i)
	}
	b.WriteString("</body></html>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Result) html(b *strings.Builder, n int) {
	e := html.EscapeString
	fmt.Fprintf(b, "<h2 id=\"r%d\">%s</h2>\n<p><b>%s</b><br><span class=\"dim\">%s</span></p>\n", n, e(r.heading()), e(r.Title), e(r.source()))
	if len(r.Published) > 0 {
		b.WriteString("<table class=\"quotes\"><tr><th></th><th>published</th><th>ours</th></tr>\n")
		for _, q := range r.Published {
			fmt.Fprintf(b, "<tr><td>%s</td><td>%s</td><td>%s</td></tr>\n", e(q.What), e(q.Value), e(q.Ours))
		}
		b.WriteString("</table>\n")
	}
	if len(r.Charts) > 0 {
		b.WriteString("<div class=\"charts\">\n")
		for i := range r.Charts {
			b.WriteString(r.Charts[i].SVG())
		}
		b.WriteString("</div>\n")
	}
	for i := range r.Tables {
		r.Tables[i].html(b)
	}
	if len(r.Notes) > 0 {
		b.WriteString("<ul>\n")
		for _, note := range r.Notes {
			fmt.Fprintf(b, "<li>%s</li>\n", e(note))
		}
		b.WriteString("</ul>\n")
	}
}

func (t *Table) html(b *strings.Builder) {
	b.WriteString("<div class=\"scroll\"><table>")
	if t.Title != "" {
		fmt.Fprintf(b, "<caption>%s</caption>", html.EscapeString(t.Title))
	}
	b.WriteString("<tr>")
	for i := range t.Columns {
		fmt.Fprintf(b, "<th>%s</th>", html.EscapeString(t.Columns[i].head()))
	}
	b.WriteString("</tr>\n")
	for _, row := range t.Rows {
		b.WriteString("<tr>")
		for i, v := range row {
			fmt.Fprintf(b, "<td>%s</td>", html.EscapeString(t.Columns[i].cell(v)))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table></div>\n")
	if t.Note != "" {
		fmt.Fprintf(b, "<p class=\"dim\">%s</p>\n", html.EscapeString(t.Note))
	}
}
