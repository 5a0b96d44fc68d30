package serve

import (
	"bytes"
	"context"
	"net/http"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/explain"
	"ordeal/campaigns/report"
	"ordeal/campaigns/report/html"
	"ordeal/campaigns/run"
)

// checkTimeout bounds the checks of the history of a run.
const checkTimeout = 20 * time.Second

// slow makes a page that takes long, one at a time, and keeps it until the campaign has
// recorded more.
func (h *Handler) slow(ctx context.Context, c *campaign, name string, make func(context.Context) ([]byte, error)) (*answer, error) {
	select {
	case h.slot <- struct{}{}:
		defer func() { <-h.slot }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	c.mu.Lock()
	err := c.refresh()
	pages := c.pages
	c.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if a := pages[name]; a != nil {
		return a, nil
	}
	body, err := make(ctx)
	if err != nil {
		return nil, err
	}
	pages[name] = &answer{body: body} // only here, one at a time
	return pages[name], nil
}

// report is the whole report, as campaign report writes it.
func (h *Handler) report(c *campaign, r *http.Request) (*answer, error) {
	return h.slow(r.Context(), c, "report", func(ctx context.Context) ([]byte, error) {
		a, err := journal.Open(c.dir)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		err = html.Write(ctx, &b, a, html.Options{})
		return b.Bytes(), err
	})
}

// directory is the directory of a run that a request names: in the campaign, and not
// behind a link.
func (c *campaign) directory(r *http.Request) (run.Dir, error) {
	name := r.PathValue("run")
	local, err := filepath.Localize(name)
	first, _, _ := strings.Cut(name, "/")
	if _, ok := run.Number(first); !ok || err != nil || path.Clean(name) != name {
		return "", errGone
	}
	dir := run.Dir(filepath.Join(c.dir, local))
	if _, err := run.ReadDir(string(dir)); err != nil {
		return "", errGone
	}
	return dir, nil
}

// run is the page of a run: its witness, with the transitions that served it.
func (h *Handler) run(c *campaign, r *http.Request) (*answer, error) {
	dir, err := c.directory(r)
	if err != nil {
		return nil, err
	}
	return h.slow(r.Context(), c, "run/"+r.PathValue("run"), func(ctx context.Context) ([]byte, error) {
		view := runView{Name: c.name, Run: r.PathValue("run"), Dir: string(dir), Files: files(dir)}
		page, err := explain.Run(ctx, dir, explain.Options{CheckTimeout: checkTimeout})
		if err != nil {
			view.Missing = err.Error()
		} else {
			var b bytes.Buffer
			if err := page.WriteHTML(&b); err != nil {
				return nil, err
			}
			view.page = b.String()
		}
		return view.html()
	})
}

// runView is the head of the page of a run.
type runView struct {
	Name, Run, Dir string
	Files          []string
	Missing        string // why there is no explanation
	page           string // the explanation
}

// html puts the head into the explanation, or makes a page of it alone.
func (v *runView) html() ([]byte, error) {
	name := "run.tmpl"
	if v.page != "" {
		name = "runhead.tmpl"
	}
	a, err := render(name, v)
	if err != nil || v.page == "" {
		return a.body, err
	}
	return []byte(strings.Replace(html.Visible(v.page), "<body>", "<body>\n"+string(a.body), 1)), nil
}

// shown are the files of a run directory that pages link to: text.
var shown = []string{run.SpecFile, run.ProgramFile, run.ResultFile, run.DiagnosisFile, run.CertificateFile, "witness.txt", "cause.txt", "trace.txt"}

// files lists what of them a run has.
func files(dir run.Dir) []string {
	names, _ := run.Names(string(dir)) // none where it cannot be read
	return slices.DeleteFunc(slices.Clone(shown), func(name string) bool { return !slices.Contains(names, name) })
}

// maxFile bounds a file that is shown.
const maxFile = 16 << 20

// file is a file of a run, as plain text.
func (h *Handler) file(c *campaign, r *http.Request) (*answer, error) {
	dir, err := c.directory(r)
	if err != nil {
		return nil, err
	}
	if name := r.PathValue("file"); slices.Contains(shown, name) {
		text, err := report.FilesOf(string(dir)).Read(name, maxFile)
		return &answer{"text/plain; charset=utf-8", text}, err
	}
	return nil, errGone
}
