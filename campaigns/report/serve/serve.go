// Package serve shows campaigns as web pages on this machine, while they run: progress,
// findings as they come, coverage tables, and a page for each run. It only reads.
//
// Directories may come from others, and browsers run what others wrote: all text is
// escaped, the policy of the pages allows no script but the one of this package, files
// of a run are plain text, and links are not followed. Requests that do not name this
// machine are refused, so that no other site can read the pages by a name of its own
// that it points here.
package serve

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report/html"
	"ordeal/campaigns/run"
)

// Handler serves the campaigns of a directory.
type Handler struct {
	dir string
	now func() time.Time
	mux *http.ServeMux

	mu        sync.Mutex
	campaigns map[string]*campaign // by name
	// slot bounds the pages that take long, of runs and reports, to one at a time.
	slot chan struct{}
}

// New makes a handler of a campaign's directory, or of one that has campaigns in it.
func New(dir string) (*Handler, error) {
	h := &Handler{dir: run.Resolve(dir), now: time.Now, mux: http.NewServeMux(), campaigns: make(map[string]*campaign), slot: make(chan struct{}, 1)}
	if _, err := run.ReadDir(h.dir); err != nil {
		return nil, fmt.Errorf("serve %s: %w", dir, err)
	}
	h.mux.HandleFunc("GET /{$}", h.list)
	h.mux.HandleFunc("GET /live.js", h.script)
	for path, page := range map[string]func(*campaign, *http.Request) (*answer, error){
		"/{campaign}/{$}":                   h.progress,
		"/{campaign}/report":                h.report,
		"/{campaign}/coverage/{config}":     h.coverage,
		"/{campaign}/coverage/{config}/row": h.transition,
		"/{campaign}/run/{run}/{$}":         h.run,
		"/{campaign}/run/{run}/{file...}":   h.file,
	} {
		h.mux.HandleFunc("GET "+path, h.of(page))
	}
	return h, nil
}

// policy is what the pages may load: styles and pictures in them, and the script.
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP answers a request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	for name, value := range map[string]string{
		"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin", "Cache-Control": "no-store",
	} {
		head.Set(name, value)
	}
	if !local(r.Host) {
		http.Error(w, "this server answers to names of this machine only: localhost, 127.0.0.1", http.StatusForbidden)
		return
	}
	h.mux.ServeHTTP(w, r)
}

// local reports whether a host, with a port perhaps, is this machine by a name that
// cannot be pointed elsewhere.
func local(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && ip.IsLoopback()
}

// ErrAddress means that an address is not of this machine alone.
var ErrAddress = errors.New("want an address of this machine, as 127.0.0.1:8080: no other machine may read the pages")

// Listen listens on an address of this machine, as 127.0.0.1:8080; port 0 is any.
func Listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil || host == "" || !local(host) {
		return nil, fmt.Errorf("listen on %s: %w", address, ErrAddress)
	}
	return net.Listen("tcp", address)
}

// answer is what a page answers.
type answer struct {
	kind string // of content; empty for HTML
	body []byte
}

// errGone means that there is no such page.
var errGone = errors.New("there is no such page")

// of answers with a page of a campaign.
func (h *Handler) of(page func(*campaign, *http.Request) (*answer, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := h.campaign(r.PathValue("campaign"))
		if c == nil {
			h.fail(w, errGone)
			return
		}
		a, err := page(c, r)
		if err != nil {
			h.fail(w, err)
			return
		}
		h.send(w, a)
	}
}

func (h *Handler) fail(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	if errors.Is(err, errGone) || errors.Is(err, fs.ErrNotExist) {
		status = http.StatusNotFound
	}
	http.Error(w, messages.Escape(err.Error()), status)
}

// campaign finds a campaign by its name; nil if there is none.
func (h *Handler) campaign(name string) *campaign {
	dir := filepath.Join(h.dir, name)
	if journal.IsCampaign(h.dir) {
		dir = h.dir
	}
	if name != filepath.Base(absolute(dir)) || !journal.IsCampaign(dir) {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.campaigns[name] == nil {
		h.campaigns[name] = &campaign{dir: dir, name: name}
	}
	return h.campaigns[name]
}

// absolute is a path from the root, where there is a working directory.
func absolute(dir string) string {
	if full, err := filepath.Abs(dir); err == nil {
		return full
	}
	return dir
}

// names are those of the campaigns.
func (h *Handler) names() []string {
	dirs, _ := journal.Find(h.dir) // none where they cannot be read
	for i, dir := range dirs {
		dirs[i] = filepath.Base(absolute(dir))
	}
	return dirs
}

//go:embed page
var sources embed.FS

var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"group": messages.Comma, "plural": messages.Plural, "path": url.PathEscape, "query": url.QueryEscape, "span": span, "share": share,
		"style": func() (template.CSS, error) {
			css, err := html.Style()
			text, fault := sources.ReadFile("page/style.css")
			return css + template.CSS(text), errors.Join(err, fault)
		},
	}).ParseFS(sources, "page/*.tmpl"))
})

// span is a duration to the second.
func span(d time.Duration) string { return d.Round(time.Second).String() }

func render(name string, view any) (*answer, error) {
	var b bytes.Buffer
	if err := templates().ExecuteTemplate(&b, name, view); err != nil {
		return nil, err
	}
	return &answer{body: []byte(html.Visible(b.String()))}, nil
}

func (h *Handler) script(w http.ResponseWriter, _ *http.Request) {
	text, err := sources.ReadFile("page/live.js")
	if err != nil {
		h.fail(w, err)
		return
	}
	h.send(w, &answer{"text/javascript; charset=utf-8", text})
}

// list is the page of all campaigns, the latest first.
func (h *Handler) list(w http.ResponseWriter, _ *http.Request) {
	var view struct {
		Dir       string
		Campaigns []*progressView
		Faults    []string
	}
	view.Dir = h.dir
	for _, name := range h.names() {
		c := h.campaign(name)
		if c == nil {
			continue // it has gone
		}
		c.mu.Lock()
		defer c.mu.Unlock() // until the page is written
		v, err := h.view(c, true)
		if err != nil {
			view.Faults = append(view.Faults, fmt.Sprintf("%s: %v", name, err))
			continue
		}
		view.Campaigns = append(view.Campaigns, v)
	}
	slices.SortStableFunc(view.Campaigns, func(a, b *progressView) int { return b.Started.Compare(a.Started) })
	a, err := render("list.tmpl", view)
	if err != nil {
		h.fail(w, err)
		return
	}
	h.send(w, a)
}

func (h *Handler) send(w http.ResponseWriter, a *answer) {
	w.Header().Set("Content-Type", cmp.Or(a.kind, "text/html; charset=utf-8"))
	_, _ = w.Write(a.body) // the browser may have gone
}
