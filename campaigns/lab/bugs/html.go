package bugs

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
		"seconds": seconds,
		"comma":   func(n uint64) string { return messages.Comma(int(n)) },
		"percent": func(share float64) float64 { return 100 * share },
	}
})

// WriteHTML writes the report as one page without references to other files.
func (r *Report) WriteHTML(w io.Writer) error { return page().Execute(w, r) }
