package html

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"path"
	"strings"
	"time"

	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/run"
	"ordeal/check"
	drawing "ordeal/check/picture"
	"ordeal/check/witness"
	"ordeal/gen"
	"ordeal/parse"
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

// evidence gathers what is known of a finding whose best reproducer is v.Best,
// made from the run directory run.
func (p *page) evidence(ctx context.Context, f *summary.Finding, v *findingView, run string) evidence {
	var e evidence
	dirs := []string{v.Best}
	if v.Best != run {
		dirs = append(dirs, run)
	}
	explained := run
	for _, dir := range dirs {
		if e.Text, e.Prose = p.explanation(dir); e.Text != "" {
			explained = dir
			break
		}
	}
	e.Witness = p.picture(path.Join(v.Best, "witness.svg"))
	e.Messages = p.picture(path.Join(v.Best, "messages.svg"))
	if e.Witness == "" && f.Outcome == sim.Violation {
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
	var record run.Spec
	if err := p.files.JSON(path.Join(runDir, run.SpecFile), textLimit, &record); err != nil {
		return "", "", no + "the run's record cannot be read."
	}
	models, err := record.Config.Models()
	if err != nil {
		return "", "", no + "the run's record names no known model."
	}
	h, err := p.history(runDir, &record)
	if err != nil {
		return "", "", no + "the log is no history of the program."
	}
	ctx, cancel := context.WithTimeout(ctx, 2*checkTimeout)
	defer cancel()
	v, err := check.Check(ctx, h, models[0], check.Options{Timeout: checkTimeout, MemoryBytes: 1 << 30})
	if err != nil || v.Answer != check.Forbidden || v.Refutation == nil {
		return "", "", no + "the history is not found to be forbidden in " + span(checkTimeout) + "."
	}
	small, refutation, _ := witness.Restrict(models[0].View(h), v.Refutation)
	if len(small.Ops) > drawnOps {
		return "", "", no + messages.Comma(len(small.Ops)) + " operations matter to the proof; ordeal reduce makes them fewer."
	}
	drawn, err := drawing.Draw(small, models[0], refutation)
	if err != nil {
		return "", "", no + "the proof cannot be drawn."
	}
	var svg, words bytes.Buffer
	if err := errors.Join(drawn.WriteSVG(&svg), witness.Explain(&words, small, models[0], refutation)); err != nil {
		return "", "", no + "it cannot be written."
	}
	return p.embed(svg.Bytes()), words.String(), "There is no space for the picture."
}

// checkTimeout bounds the check of a history for a picture.
const checkTimeout = 5 * time.Second

func (p *page) history(dir string, record *run.Spec) (*parse.History, error) {
	name := path.Join(dir, run.ProgramFile)
	text, err := p.files.Read(name, programLimit)
	if err != nil {
		return nil, err
	}
	program, err := gen.Parse(name, text)
	if err != nil {
		return nil, err
	}
	rounds := record.Config.Rounds
	if rounds < 1 || rounds > program.MaxRounds() {
		return nil, fmt.Errorf("%d rounds: the program has at most %d", rounds, program.MaxRounds())
	}
	log, err := p.files.Read(path.Join(dir, run.LogFile), logLimit)
	if err != nil {
		return nil, err
	}
	return parse.Native(program, rounds, sim.Log(log))
}
