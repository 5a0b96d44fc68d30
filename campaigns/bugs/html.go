package bugs

import (
	"embed"
	"html/template"
	"io"
	"sync"

	"ordeal/campaigns/report/plot"
)

//go:embed page.tmpl page.css
var pageFiles embed.FS

var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page.tmpl").Funcs(template.FuncMap{
		"style": func() (template.CSS, error) {
			text, err := pageFiles.ReadFile("page.css")
			return template.CSS(plot.CSS + string(text)), err
		},
		"seconds": seconds,
		"percent": func(share float64) float64 { return 100 * share },
	}).ParseFS(pageFiles, "page.tmpl"))
})

// WriteHTML writes the report as one page without references to other files.
func (r *Report) WriteHTML(w io.Writer) error { return page().Execute(w, r) }
