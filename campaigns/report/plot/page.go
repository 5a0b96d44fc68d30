package plot

import (
	_ "embed"
	"html/template"
	"io/fs"
	"maps"
	"sync"
)

// pageCSS is the style of what pages other than the report have in common: text,
// headings, and tables of figures.
//
//go:embed page.css
var pageCSS string

// Page is the template page.tmpl of some files, which is parsed at the first call.
// Its functions are those of funcs, if it is not nil, and style: CSS, the
// style of all such pages and, after it, page.css of the files.
func Page(files fs.FS, funcs func() template.FuncMap) func() *template.Template {
	return sync.OnceValue(func() *template.Template {
		all := template.FuncMap{"style": func() (template.CSS, error) {
			text, err := fs.ReadFile(files, "page.css")
			return template.CSS(CSS + pageCSS + string(text)), err
		}}
		if funcs != nil {
			maps.Copy(all, funcs())
		}
		return template.Must(template.New("page.tmpl").Funcs(all).ParseFS(files, "page.tmpl"))
	})
}
