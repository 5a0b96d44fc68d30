package plot

import (
	"html/template"
	"io/fs"
	"maps"
	"sync"
)

// Page is the template page.tmpl of some files, which is parsed at the first call.
// Its functions are those of funcs, if it is not nil, and style: CSS and, after it,
// page.css of the files.
func Page(files fs.FS, funcs func() template.FuncMap) func() *template.Template {
	return sync.OnceValue(func() *template.Template {
		all := template.FuncMap{"style": func() (template.CSS, error) {
			text, err := fs.ReadFile(files, "page.css")
			return template.CSS(CSS + string(text)), err
		}}
		if funcs != nil {
			maps.Copy(all, funcs())
		}
		return template.Must(template.New("page.tmpl").Funcs(all).ParseFS(files, "page.tmpl"))
	})
}
