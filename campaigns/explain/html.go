package explain

import (
	"embed"
	"encoding/base64"
	"errors"
	"html/template"
	"io"

	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report/plot"
)

//go:embed page.tmpl page.css
var pageFiles embed.FS

var page = plot.Page(pageFiles, func() template.FuncMap {
	return template.FuncMap{
		// What is in a picture at a data: address cannot reach the page.
		"svg": func(svg []byte) template.URL {
			return template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg))
		},
	}
})

// Picture is an SVG document of the page, named by what it shows.
type Picture struct {
	Name string
	SVG  []byte
}

// Pictures are those of the page.
func (p *Page) Pictures() []Picture { return p.pictures }

// WriteHTML writes the page as one HTML document without references to others.
func (p *Page) WriteHTML(w io.Writer) error {
	visible := &messages.Escaper{W: w}
	return errors.Join(page().Execute(visible, p), visible.Close())
}
