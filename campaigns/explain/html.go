package explain

import (
	"embed"
	"encoding/base64"
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
		// What is in a picture at a data: address cannot reach the page.
		"svg": func(svg []byte) template.URL {
			return template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg))
		},
	}).ParseFS(pageFiles, "page.tmpl"))
})

// Picture is an SVG document of the page, named by what it shows.
type Picture struct {
	Name string
	SVG  []byte
}

// Pictures are those of the page.
func (p *Page) Pictures() []Picture { return p.pictures }

// WriteHTML writes the page as one HTML document without references to others.
func (p *Page) WriteHTML(w io.Writer) error { return page().Execute(w, p) }
