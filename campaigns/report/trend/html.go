package trend

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"sync"

	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report/html"
	"ordeal/campaigns/report/plot"
)

//go:embed page.tmpl
var source embed.FS

var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page.tmpl").Funcs(template.FuncMap{
		"style": html.Style, "group": messages.Comma, "short": messages.Short, "add": func(a, b int) int { return a + b },
		"plural": messages.Plural, "figures": (*Trend).figures, "canaries": (*Point).canaries, "coverage": (*Point).coverage, "gone": (*Finding).gone,
		"titled": func(f *Finding) string { return f.Outcome.Titled(f.Title) },
	}).ParseFS(source, "page.tmpl"))
})

// WriteHTML writes trends as one page that needs nothing else.
func WriteHTML(w io.Writer, trends []*Trend) error {
	var b bytes.Buffer
	if err := page().Execute(&b, trends); err != nil {
		return fmt.Errorf("write trend: %w", err)
	}
	_, err := io.WriteString(w, html.Visible(b.String()))
	return err
}

// figure is a plot over the campaigns.
type figure struct {
	Name, Note string
	Plot       template.HTML
}

// line is a curve of a figure.
type line struct {
	name  string
	value func(*Point) float64 // NaN: none
}

func (t *Trend) figures() []figure {
	most := func(f func(*Point) float64) (high float64) {
		for i := range t.Points {
			if v := f(&t.Points[i]); v > high { // false for NaN
				high = v
			}
		}
		return high
	}
	findings := func(p *Point) float64 { return float64(p.Findings) }
	fresh := func(p *Point) float64 { return float64(p.New) }
	rate := func(p *Point) float64 { return p.Rate }
	share := func(part, whole func(*Point) int) func(*Point) float64 {
		return func(p *Point) float64 {
			if whole(p) == 0 {
				return math.NaN()
			}
			return float64(part(p)) / float64(whole(p))
		}
	}
	list := []figure{
		{"Findings", "Those that are no known issue.", t.plot("Findings by campaign", plot.Count("findings", int(most(findings)), whole), line{"findings", findings}, line{"new", fresh})},
		{"Rate", "Operations for each second that the runs took.", t.plot("Operations a second by campaign", plot.Linear("operations/s", most(rate), messages.Short), line{"operations/s", rate})},
	}
	covered := share(func(p *Point) int { return p.Taken }, func(p *Point) int { return p.Transitions })
	caught := share(func(p *Point) int { return p.Caught }, func(p *Point) int { return p.Canaries })
	if most(covered) > 0 {
		list = append(list, figure{"Coverage", "Share of the transitions of the protocols that were taken; configurations with injected bugs do not count.", t.plot("Coverage by campaign", plot.Percent(), line{"transitions taken", covered})})
	}
	if len(t.Canaries) > 0 {
		list = append(list, figure{"Canaries", "Share of the injected bugs that were caught.", t.plot("Share of the canaries caught by campaign", plot.Percent(), line{"canaries caught", caught})})
	}
	return list
}

// plot draws curves over the campaigns, which are numbered as in the table.
func (t *Trend) plot(label string, y plot.Scale, lines ...line) template.HTML {
	return plot.Figure(label, func(c *plot.Canvas) float64 {
		top := 34.0
		if len(lines) > 1 {
			var names []string
			for _, l := range lines {
				names = append(names, l.name)
			}
			top += c.Legend(names, 14)
		}
		f := c.Frame(plot.Frame{Left: 46, Top: top, Right: c.Width - 14, Bottom: top + 170}, plot.Count("campaign", len(t.Points), whole), y)
		for i, l := range lines {
			x, last := 0.0, math.NaN()
			for k := range t.Points {
				p := &t.Points[k]
				v := l.value(p)
				if math.IsNaN(v) {
					last = v
					continue
				}
				at, height := f.X(float64(k+1)), f.Y(v)
				if !math.IsNaN(last) {
					c.Line("curve "+plot.Style(i), x, last, at, height)
				}
				c.Dot("point "+plot.Style(i), at, height, 3, fmt.Sprintf("%s: %.4g %s", p.Started.Format("2006-01-02 15:04"), v, l.name))
				x, last = at, height
			}
		}
		return f.Bottom + plot.Under
	})
}

// whole labels whole numbers only.
func whole(v float64) string {
	if v != math.Trunc(v) {
		return ""
	}
	return messages.Short(v)
}
