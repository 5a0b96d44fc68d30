package html

import (
	"bytes"
	"context"
	"encoding/base64"
	"html/template"
	"path"
	"path/filepath"
	"strings"
	"time"

	"ordeal/campaigns/explain"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// evidence shows why a run is a finding.
type evidence struct {
	// Text explains the finding. Prose may be wrapped; other text is laid out
	// in columns.
	Text  string
	Prose bool
	// Witness and Messages are pictures: SVG documents as data: addresses, so
	// that nothing in them can reach the page.
	Witness, Messages template.URL
	// Missing says why there is no picture of a forbidden history.
	Missing string
}

// evidence gathers what is known of a finding whose best reproducer is v.Path,
// made from the run directory run.
func (p *page) evidence(ctx context.Context, v *findingView, run string) evidence {
	var e evidence
	dirs := []string{v.Path}
	if v.Path != run {
		dirs = append(dirs, run)
	}
	explained := run
	for _, dir := range dirs {
		if e.Text, e.Prose = p.explanation(dir); e.Text != "" {
			explained = dir
			break
		}
	}
	e.Witness = p.picture(path.Join(v.Path, "witness.svg"))
	e.Messages = p.picture(path.Join(v.Path, "messages.svg"))
	if e.Witness == "" && v.Outcome == sim.Violation {
		picture, text, missing := p.draw(ctx, explained)
		if e.Witness, e.Missing = picture, missing; picture != "" {
			e.Text, e.Prose, e.Missing = shorten(text), false, "" // of the same refutation
		}
	}
	return e
}

// explanation is the witness of the expected model as text, or else what the
// simulator printed.
func (p *page) explanation(dir string) (text string, prose bool) {
	var record run.Spec
	if err := p.files.JSON(path.Join(dir, run.SpecFile), textLimit, &record); err == nil {
		if models, err := record.Config.Models(); err == nil {
			text, err := p.files.Read(path.Join(dir, "witness-"+models[0].Name+".txt"), textLimit)
			if err == nil {
				return shorten(string(text)), false
			}
		}
	}
	var j run.Result
	if err := p.files.JSON(path.Join(dir, run.ResultFile), textLimit, &j); err != nil {
		return "", false
	}
	return shorten(j.Detail), true
}

// shorten bounds a text by lines, characters in a line and characters.
func shorten(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		if i == linesShown {
			lines = append(lines[:i], "…")
			break
		}
		lines[i] = clip(line, lineShown)
	}
	return clip(strings.Join(lines, "\n"), textShown)
}

// picture is an SVG document of the campaign's directory; empty if there is
// none or no space for it.
func (p *page) picture(name string) template.URL {
	data, err := p.files.Read(name, pictureLimit)
	if err != nil {
		return ""
	}
	return p.embed(data)
}

// embed makes the address of a picture, as long as there is space for more.
func (p *page) embed(svg []byte) template.URL {
	svg = bytes.TrimSpace(svg)
	if !bytes.HasPrefix(svg, []byte("<svg")) {
		return ""
	}
	size := base64.StdEncoding.EncodedLen(len(svg))
	if p.pictures+size > picturesLimit {
		p.leftOut++
		return ""
	}
	p.pictures += size
	return template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg))
}

// draw checks the log of a run again, and draws and explains why the expected
// model forbids it, or says why there is no picture.
func (p *page) draw(ctx context.Context, runDir string) (picture template.URL, text, missing string) {
	const no = "There is no picture: "
	if p.checked == checkedMost {
		return "", "", no + "so many findings are not checked again for a report; ordeal check --explain draws it."
	}
	p.checked++
	ctx, cancel := context.WithTimeout(ctx, 2*checkTimeout)
	defer cancel()
	dir := run.Dir(run.Resolve(p.data.archive.Dir)).Sub(filepath.FromSlash(runDir))
	svg, text, err := explain.Witness(ctx, dir, explain.Options{CheckTimeout: checkTimeout})
	if err != nil {
		return "", "", no + clip(err.Error(), titleShown)
	}
	if len(svg) > pictureLimit {
		return "", "", no + "it would be too large; ordeal reduce makes it smaller."
	}
	return p.embed(svg), text, "There is no space for the picture."
}

// checkTimeout bounds each check of a history for a picture.
const checkTimeout = 5 * time.Second
