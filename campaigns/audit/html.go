package audit

import (
	"embed"
	"html/template"
	"io"

	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report/plot"
)

//go:embed page.tmpl page.css
var pageFiles embed.FS

var page = plot.Page(pageFiles, func() template.FuncMap {
	return template.FuncMap{
		"seconds": seconds, "comma": comma, "limit": func(name string) string { return limitText[name] }, "number": func(*Finding) int { return 0 }, "news": func() string { return "" }, // of a report, see WriteHTML
		"also": func(cause []*Finding) string { return messages.Plural(len(cause)-1, "title") + " more of this cause" },
	}
})

// WriteHTML writes the report as one page without references to other files.
func (r *Report) WriteHTML(w io.Writer) error {
	p, err := page().Clone()
	if err != nil {
		return err
	}
	return p.Funcs(template.FuncMap{"number": r.number, "news": r.news}).Execute(w, r)
}
