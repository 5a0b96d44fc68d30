package papers

import (
	"embed"
	"io"

	"ordeal/campaigns/report/plot"
)

//go:embed page.tmpl page.css
var pageFiles embed.FS

var page = plot.Page(pageFiles, nil)

// WriteHTML writes the report as one page without references to other files.
func (r *Report) WriteHTML(w io.Writer) error { return page().Execute(w, r) }
