// Package html writes the report of a campaign as one HTML page that needs
// nothing else: no network, no script, no file beside it.
//
// A campaign directory may come from others. All text is escaped, and
// characters that browsers hide are made visible; pictures of the directory
// are embedded as images, which cannot reach the page; the page's policy
// forbids scripts and network access; files are read below the directory only;
// the constants in limits.go bound the size of the page.
package html

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"slices"
	"sync"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report"
	"ordeal/campaigns/report/compare"
	"ordeal/campaigns/report/plot"
	"ordeal/sim"
)

// Options steer Write.
type Options struct {
	// Kill is a directory or file of results of ordeal mutate run; empty means
	// those in the directory of the campaign, if there are any.
	Kill string
	// Baseline is what differs from an earlier campaign; nil for none.
	Baseline *compare.Diff
	_        struct{}
}

//go:embed page
var sources embed.FS

var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"group": messages.Comma, "plural": messages.Plural, "span": span, "name": func(s string) string { return clip(s, nameShown) }, "title": func(s string) string { return clip(s, titleShown) },
		"add": func(a, b int) int { return a + b },
		// share is a length in per cent of what is given in per mille.
		"share": func(perMille int) template.CSS { return template.CSS(fmt.Sprintf("%.1f%%", float64(perMille)/10)) },
		"style": Style,
	}).ParseFS(sources, "page/*.tmpl"))
})

// Style is the style sheet of reports and of pages like them.
func Style() (template.CSS, error) {
	text, err := sources.ReadFile("page/style.css")
	return template.CSS(plot.CSS + string(text)), err
}

// page is a page that is being written.
type page struct {
	data     *campaignData
	files    *report.Files
	baseline *compare.Diff
	// pictures is the number of bytes of pictures so far, leftOut the number of
	// pictures without space, checked the number of histories checked again.
	pictures, leftOut, checked int
}

type pageView struct {
	Header          headerView
	Since           *sinceView
	Table           tableView
	Canaries        []canaryRow
	MoreCanaries    int
	Findings        []*findingView
	Named           []*findingView // those without the details
	MoreFindings    int
	LeftOut         int
	InfraErrors     []summary.InfraError
	MoreInfraErrors int
	Matrix          *matrixView
	Saturation      *saturationView
	Coverage        []protocolView
	Environment     environmentView
}

// Write writes the report. The same archive gives the same bytes, unless
// checking a history again for its picture takes too long.
func Write(ctx context.Context, w io.Writer, a *journal.Archive, o Options) error {
	if err := write(ctx, w, a, o); err != nil {
		return fmt.Errorf("report %s: %w", a.Dir, err)
	}
	return nil
}

func write(ctx context.Context, w io.Writer, a *journal.Archive, o Options) error {
	d, err := collect(ctx, a)
	if err != nil {
		return err
	}
	p := &page{data: d, files: report.FilesOf(a.Dir), baseline: o.Baseline}
	v, err := p.views(ctx, o)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := templates().ExecuteTemplate(&text, "page.tmpl", v); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err = io.WriteString(w, Visible(text.String()))
	return err
}

func (p *page) views(ctx context.Context, o Options) (*pageView, error) {
	d := p.data
	results, err := p.matrix(o.Kill)
	if err != nil {
		return nil, err
	}
	v := &pageView{
		Header: d.header(), Table: d.table(), Canaries: d.canaryRows(), Matrix: viewMatrix(results), Coverage: d.coverage(), Saturation: d.saturation(),
		Environment: p.environment(),
	}
	for _, t := range slices.Concat(d.sum.InfraErrors, d.sum.Damaged) {
		t.Title, t.Config = clip(t.Title, titleShown), clip(t.Config, nameShown)
		if dir, err := filepath.Rel(d.archive.Dir, t.Dir); err == nil {
			t.Dir = dir
		}
		v.InfraErrors = append(v.InfraErrors, t)
	}
	total := d.sum.Total()
	v.MoreInfraErrors = total.Outcomes[sim.Infra] - len(d.sum.InfraErrors)
	v.MoreCanaries = len(d.canaries) - len(v.Canaries)
	ids := make(map[string]string)
	for i := range d.sum.Findings {
		switch f := &d.sum.Findings[i]; {
		case i < findingsShown:
			v.Findings = append(v.Findings, p.view(ctx, f, i+1, true))
			ids[f.Outcome.Titled(f.Title)+"\n"+f.System] = v.Findings[i].ID
		case i < findingsNamed:
			v.Named = append(v.Named, p.view(ctx, f, i+1, false))
		default:
			v.MoreFindings++
		}
	}
	v.LeftOut, v.Since = p.leftOut, p.since(ids)
	return v, nil
}
