package evaluate

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/run"
	"ordeal/gen"
	emit "ordeal/gen/emit/litmus"
	"ordeal/parse"
	"ordeal/parse/formats"
	"ordeal/parse/formats/litmus"
	"ordeal/parse/formats/litmus7"
	"ordeal/sim"
)

// histories converts executions.
func (c *convert) histories(from formats.Format, in io.Reader, name string) error {
	w, err := c.writer(name)
	if err != nil {
		return command.Usage(err)
	}
	count := 0
	err = c.input.read(from, in, name, func(t *Trace) error {
		if count++; c.trace > 0 && count != c.trace {
			return nil
		}
		if t.Err != nil && c.input.Format == "auto" {
			return command.Usage(fmt.Errorf("%w\nread as %s, by its content: --from names another format", t.Err, from.Name))
		} else if t.Err != nil {
			return command.Usage(t.Err)
		}
		if err := c.losses(t); err != nil {
			return err
		}
		if err := w.Write(t.History); err != nil {
			return command.Usage(fmt.Errorf("convert %s: %w", t.Place, err))
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case c.trace > count:
		return command.Usage(fmt.Errorf("convert %s: --trace %d of a file of %d", name, c.trace, count))
	case count == 0:
		return command.Usage(fmt.Errorf("convert %s: the file holds no execution", name))
	}
	return nil
}

// historyWriter writes executions.
type historyWriter interface{ Write(h *parse.History) error }

// writer writes to c.out, or to c.native.
func (c *convert) writer(name string) (historyWriter, error) {
	if c.to == "native" {
		c.native = new(nativeWriter)
		return c.native, nil
	}
	w, err := formats.NewWriter(c.target, &c.out)
	if err != nil {
		return nil, err
	}
	w.Test = testName(name)
	return w, nil
}

// nativeWriter keeps the program and log of one execution.
type nativeWriter struct {
	program *gen.Program
	log     sim.Log
}

// Write makes the program and the log.
func (n *nativeWriter) Write(h *parse.History) (err error) {
	if n.program != nil {
		return fmt.Errorf("write native log: %w", formats.ErrOne)
	}
	n.program, n.log, err = formats.NewNative(h)
	return err
}

// save writes both files into a directory, which may be there.
func (n *nativeWriter) save(dir string) error {
	dir = run.Resolve(dir)
	if err := run.MkdirAll(dir); err != nil {
		return err
	}
	if err := run.WriteFile(filepath.Join(dir, run.ProgramFile), n.program.Text(), false); err != nil {
		return err
	}
	return run.WriteFile(filepath.Join(dir, run.LogFile), n.log, false)
}

// losses says what of a trace is lost, and refuses to lose what models evaluate
// by.
func (c *convert) losses(t *Trace) error {
	for _, note := range t.Notes {
		c.say(t.Place, "not read: %s", note)
	}
	var lost, grave []string
	for _, l := range c.target.Losses(t.History) {
		if l.Verdict && !c.lossy {
			grave = append(grave, l.What)
		} else {
			lost = append(lost, l.What)
		}
	}
	if len(grave) > 0 {
		return command.Usage(fmt.Errorf("convert %s: %s cannot express %s: a model may evaluate otherwise without them (--lossy drops them)",
			t.Place, c.to, strings.Join(grave, ", ")))
	}
	if len(lost) > 0 {
		c.say(t.Place, "lost: %s", strings.Join(lost, ", "))
	}
	return nil
}

// program converts programs.
func (c *convert) program(from formats.Format, in io.Reader, name string) error {
	data, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	var p *gen.Program
	var lost []string
	test := testName(name)
	if from.Name == "litmus" {
		t, err := litmus.Parse(name, data)
		if err == nil {
			err = t.Runs()
		}
		if err != nil {
			return command.Usage(err)
		}
		p, test = t.Program, t.Name
		lost = append(lost, "the condition", "the test's values and initial state")
	} else if p, err = gen.Parse(name, data); err != nil {
		return command.Usage(err)
	} else if test == "program" || test == "standard-input" { // as all run directories have one
		test = emit.TestName("ordeal", p)
	}
	if c.to == "program" {
		c.out.Write(p.Text())
	} else {
		lost = append(lost, lostByLitmus(p)...)
		if err := emit.Emit(&c.out, test, p, nil); err != nil {
			return command.Usage(err)
		}
	}
	if len(lost) > 0 {
		c.say(name, "lost: %s", strings.Join(lost, ", "))
	}
	return nil
}

// lostByLitmus is what of a program a litmus test does not say.
func lostByLitmus(p *gen.Program) []string {
	delays, additions := 0, 0
	for _, ops := range p.Threads {
		for _, op := range ops {
			switch op.Kind {
			case gen.Delay:
				delays++
			case gen.FetchAdd:
				additions++
			}
		}
	}
	lost := []string{"the layout of memory"}
	if delays > 0 {
		lost = append(lost, fmt.Sprintf("%d delays", delays))
	}
	if additions > 0 {
		lost = append(lost, fmt.Sprintf("what %d additions return", additions))
	}
	if len(p.Transactions) > 0 {
		lost = append(lost, "transactions")
	}
	return lost
}

// results converts final states of litmus tests. Counts cannot be made up.
func (c *convert) results(in io.Reader, name string) error {
	data, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	results, err := litmus7.Parse(name, data)
	if err != nil {
		return command.Usage(err)
	}
	for i := range results {
		r := &results[i]
		form := litmus7.Litmus7
		if c.to == "herd7-log" {
			form = litmus7.Herd7
		}
		switch {
		case form == r.Form:
		case form == litmus7.Litmus7:
			return command.Usage(fmt.Errorf("convert %s: test %s: herd7 does not count how often a state is seen, which litmus7-log tells", name, r.Test))
		default:
			c.say(name, "test %s: lost: how often states were seen, and in which of them the condition holds", r.Test)
			for k := range r.States {
				r.States[k].Count, r.States[k].Witness = 1, false
			}
			r.Form = form
		}
		if err := litmus7.Write(&c.out, r); err != nil {
			return err
		}
	}
	return nil
}

// events converts the steps of a run.
func (c *convert) events(from formats.Format, in io.Reader, name string) error {
	return c.input.read(from, in, name, func(t *Trace) error {
		sequence, err := t.Sequence, t.Err
		if t.Steps != nil {
			sequence, err = t.Steps()
		}
		if err != nil {
			return command.Usage(fmt.Errorf("convert %s: %w", t.Place, err))
		}
		if t.Steps != nil {
			c.say(t.Place, "lost: values, final memory")
		}
		c.out.Write(sequence.Text())
		return nil
	})
}
