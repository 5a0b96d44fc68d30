package reduction

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"ordeal/campaigns/run"
	"ordeal/check"
	"ordeal/check/minimal"
	"ordeal/check/model"
	"ordeal/check/picture"
	"ordeal/check/witness"
	"ordeal/gen/background"
	"ordeal/gen/emit/csrc"
	"ordeal/gen/emit/elf"
	"ordeal/parse"
	"ordeal/parse/formats/axe"
	"ordeal/sim/gem5"
)

// Write writes the result to dir, which must not hold a run yet: besides the
// files of a run directory the program as C source, litmus test and executable,
// the history of its run and the operations of its refutation, both in the
// format of Axe, and pictures.
func (r *Result) Write(ctx context.Context, dir run.Dir, command []string) error {
	if err := r.minimize(ctx); err != nil {
		return err
	}
	spec := r.Spec
	spec.Command, spec.Started = command, time.Now()
	if err := dir.Create(r.Program, &spec); err != nil {
		return err
	}
	if err := dir.Finish(r.Run); err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		emit func(w io.Writer) error
	}{
		{"program.c", func(w io.Writer) error {
			if cmp.Or(r.Program.CoresOnly(), r.Program.X86Only()) != nil {
				return errNone
			}
			return csrc.Emit(w, r.Program, spec.Config.Rounds)
		}},
		{"program.litmus", func(w io.Writer) error { return r.litmus(ctx, w) }},
		{"program.elf", func(w io.Writer) error {
			if r.Program.CoresOnly() != nil || spec.Config.Background > 0 {
				return errNone
			}
			image, err := elf.Emit(r.Program, spec.Config.EmitOptions())
			if err == nil {
				_, err = w.Write(image)
			}
			return err
		}},
		{gem5.BackgroundFile, r.background},
		{"history.axe", r.history},
		{"core.axe", r.core},
		{"witness.svg", func(w io.Writer) error {
			return r.picture(func(p *picture.Picture) error { return p.WriteSVG(w) })
		}},
		{"witness.dot", func(w io.Writer) error {
			return r.picture(func(p *picture.Picture) error { return p.WriteDot(w) })
		}},
		{"messages.svg", func(w io.Writer) error { return r.chart(ctx, w) }},
	} {
		var text bytes.Buffer
		if err := f.emit(&text); errors.Is(err, errNone) {
			continue
		} else if err != nil {
			return fmt.Errorf("write %s: %w", f.name, err)
		}
		path := filepath.Join(string(dir), f.name)
		if run.Exists(path) {
			continue // the simulator left it
		}
		if err := run.WriteFile(path, text.Bytes(), false); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// background writes the program with the background that it needs.
func (r *Result) background(w io.Writer) error {
	if r.Spec.Config.Background == 0 {
		return errNone
	}
	o, err := r.Spec.Config.Gem5Options()
	if err != nil {
		return err
	}
	around, err := background.Around(r.Program, o.Background)
	if err == nil {
		_, err = w.Write(around.Program.Text())
	}
	return err
}

// errNone means that there is nothing to write.
var errNone = errors.New("nothing to write")

func (r *Result) history(w io.Writer) error {
	if r.Run.History == nil {
		return errNone
	}
	return axe.Write(w, r.Run.History)
}

// core writes the operations of the refutation.
func (r *Result) core(w io.Writer) error {
	h, _, _, err := r.refuted()
	if err != nil {
		return err
	}
	return axe.Write(w, h)
}

// picture draws the refutation.
func (r *Result) picture(write func(*picture.Picture) error) error {
	h, m, refutation, err := r.refuted()
	if err != nil {
		return err
	}
	p, err := picture.Draw(h, m, refutation)
	if err != nil {
		return err
	}
	return write(p)
}

// minimize puts in the place of the refutation of the run's history one of as
// few of its operations as the model forbids, so that the text, the pictures
// and the condition of the litmus test show the same. The first one stays where
// none is found in time.
func (r *Result) minimize(ctx context.Context) error {
	v, m := r.forbidden()
	if v == nil {
		return nil
	}
	small, err := minimal.Refuted(ctx, r.Run.History, m, v.Refutation, check.Options{Timeout: minimalTimeout, AvailableBytes: run.MemoryShare(0)})
	switch {
	case err == nil:
		v.Refutation = small.Refutation
	case ctx.Err() == nil && !errors.Is(err, minimal.ErrNot):
		return err
	}
	return nil
}

// forbidden is the verdict that the result shows, with a refutation, and its
// model; nil if there is none.
func (r *Result) forbidden() (*check.Verdict, model.Model) {
	for i := range r.Run.Verdicts {
		if v := &r.Run.Verdicts[i]; v.Model == r.Identity.Model && v.Answer == check.Forbidden && v.Refutation != nil {
			return v, r.Run.Models[i]
		}
	}
	return nil, model.Model{}
}

// refuted returns the operations of the refutation as a history, the model, and
// the refutation.
func (r *Result) refuted() (*parse.History, model.Model, *witness.Refutation, error) {
	v, m := r.forbidden()
	if v == nil {
		return nil, m, nil, errNone
	}
	small, refutation, _ := witness.Restrict(m.View(r.Run.History), v.Refutation)
	return small, m, refutation, nil
}

// minimalTimeout bounds the checking of one part of a history.
const minimalTimeout = 10 * time.Second
