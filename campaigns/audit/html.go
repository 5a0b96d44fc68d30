package audit

import (
	"embed"
	"html/template"
	"io"

	"ordeal/campaigns/report/plot"
)

//go:embed page.tmpl page.css
var pageFiles embed.FS

var page = plot.Page(pageFiles, func() template.FuncMap {
	return template.FuncMap{
		"seconds": seconds, "comma": comma, "limit": func(name string) string { return limitText[name] }, "next": func(i int) int { return i + 1 },
	}
})

// WriteHTML writes the report as one page without references to other files.
func (r *Report) WriteHTML(w io.Writer) error { return page().Execute(w, r) }
