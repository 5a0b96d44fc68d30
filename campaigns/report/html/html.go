// Package html writes the report of a campaign as one HTML page that needs
// nothing else: no network, no script, no file beside it.
//
// Campaigns and their directories may come from others. All text is escaped by
// html/template or escape, and what browsers would hide is made visible; what
// is drawn elsewhere is embedded as a picture, which cannot reach the page; the
// policy of the page forbids scripts and everything that is not in it; files
// are read below the campaign's directory only. What a page shows is bounded
// by the constants in limits.go.
package html

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"html/template"
	"io"
	"path/filepath"

	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/summary"
	"ordeal/sim"
)

// Options steer Write.
type Options struct {
	// Kill is a directory or file of results of ordeal mutate run; empty means
	// those in the directory of the campaign, if there are any.
	Kill string
	_    struct{}
}

//go:embed page
var sources embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"group": messages.Comma, "plural": messages.Plural, "span": span, "add": func(a, b int) int { return a + b },
	// share is a length in per cent of what is given in per mille.
	"share": func(perMille int) template.CSS { return template.CSS(fmt.Sprintf("%.1f%%", float64(perMille)/10)) },
	"style": func() (template.CSS, error) {
		text, err := sources.ReadFile("page/style.css")
		return template.CSS(text), err
	},
}).ParseFS(sources, "page/*.tmpl"))

// page is a report in the making.
type page struct {
	ctx   context.Context
	night *night
	files *files
	// pictures is how many bytes of pictures there are already, leftOut how
	// many there is no space for, judged how many histories were judged again.
	pictures, leftOut, judged int
}

// pageView is what the templates show.
type pageView struct {
	Header       headerView
	Table        tableView
	Canaries     []canaryRow
	MoreCanaries int
	Findings     []findingView
	Named        []findingView // those without the details
	MoreFindings int
	LeftOut      int
	Troubles     []summary.InfraError
	MoreTroubles int
	Matrix       *matrixView
	Coverage     []protocolView
	Throughput   template.HTML
	Sightings    template.HTML
	SightingNote string
	Catches      template.HTML
	CatchesNote  string
	Split        template.HTML
	Environment  environmentView
}

// Write writes the report. The same archive gives the same bytes, unless
// judging a history again for its picture takes too long.
func Write(ctx context.Context, w io.Writer, a *journal.Archive, o Options) error {
	n, err := collect(ctx, a)
	if err != nil {
		return fmt.Errorf("report %s: %w", a.Dir, err)
	}
	f, err := openFiles(a.Dir)
	if err != nil {
		return fmt.Errorf("report %s: %w", a.Dir, err)
	}
	defer f.close()
	p := &page{ctx: ctx, night: n, files: f}
	v, err := p.views(o)
	if err != nil {
		return fmt.Errorf("report %s: %w", a.Dir, err)
	}
	var text bytes.Buffer
	if err := templates.ExecuteTemplate(&text, "page.tmpl", v); err != nil {
		return fmt.Errorf("report %s: %w", a.Dir, err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err = io.WriteString(w, visible(text.String()))
	return err
}

// views makes everything that the templates show.
func (p *page) views(o Options) (*pageView, error) {
	n := p.night
	results, err := p.matrix(o.Kill)
	if err != nil {
		return nil, err
	}
	v := &pageView{
		Header: n.header(), Table: n.table(), Canaries: n.canaryRows(), Matrix: viewMatrix(results), Coverage: n.coverage(),
		Throughput: n.throughput(), Sightings: n.sightings(), Catches: n.catches(), Split: n.split(), Environment: p.environment(),
	}
	for _, t := range n.sum.Troubles {
		t.Title, t.Config = clip(t.Title, titleShown), clip(t.Config, nameShown)
		if dir, err := filepath.Rel(n.archive.Dir, t.Dir); err == nil {
			t.Dir = dir
		}
		v.Troubles = append(v.Troubles, t)
	}
	total := n.sum.Total()
	v.MoreTroubles = total.Outcomes[sim.Infra] - len(v.Troubles)
	v.CatchesNote, v.SightingNote = n.catchesNote(), n.sightingsNote()
	v.MoreCanaries = len(n.canaries) - len(v.Canaries)
	for i := range n.sum.Findings {
		switch f := &n.sum.Findings[i]; {
		case i < findingsShown:
			v.Findings = append(v.Findings, p.view(f, i+1, true))
		case i < findingsNamed:
			v.Named = append(v.Named, p.view(f, i+1, false))
		default:
			v.MoreFindings++
		}
	}
	v.LeftOut = p.leftOut
	return v, nil
}
