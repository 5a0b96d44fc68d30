package exploration

import (
	"bytes"
	"fmt"
	"strings"

	"ordeal/campaigns/diagnose"
	"ordeal/campaigns/run"
	"ordeal/check/picture/chart"
	"ordeal/sim/explore"
	"ordeal/sim/ruby"
	"ordeal/sim/trace"
)

// WriteChart takes the steps of a finding again and draws the message sequence
// chart, whose time is the number of the step. It returns the name of the file in
// the directory.
func WriteChart(dir string, s *Spec, f *Finding) (string, error) {
	c, err := s.chart(f)
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	if err := c.WriteSVG(&text); err != nil {
		return "", err
	}
	name := strings.TrimSuffix(f.Schedule, ".txt") + ".svg"
	return name, run.WriteFile(run.Dir(dir).Path(name), text.Bytes(), false)
}

func (s *Spec) chart(f *Finding) (*chart.Chart, error) {
	config, err := s.config(s.Machine)
	if f.Program != nil {
		config, _, err = s.programConfig(f.Program)
	}
	if err != nil {
		return nil, err
	}
	c := &chart.Chart{
		Title: f.Head(), Lines: map[int64]string{}, Accesses: map[int]string{}, Marks: map[int]chart.Mark{},
		Values: map[int]string{},
	}
	for i, line := range config.Addresses() {
		c.Lines[int64(line)] = fmt.Sprintf("line %d", i)
	}
	// Messages under way, by how a step says that they arrive.
	flying := map[string][]int{}
	begun := 0 // steps whose access or arrival is noted
	begin := func(at int) {
		for ; begun < at; begun++ {
			step := f.Steps[begun]
			if rest, ok := strings.CutPrefix(step, "message "); ok {
				if list := flying[rest]; len(list) > 0 {
					c.Events[list[0]].Arrives = int64(begun + 1)
					flying[rest] = list[1:]
				}
				continue
			}
			if who, what, ok := access(step); ok {
				c.Accesses[len(c.Events)] = what
				c.Events = append(c.Events, trace.Event{Kind: trace.Access, At: int64(begun + 1), Place: who})
			}
		}
	}
	_, err = explore.Replay(config, f.Steps, func(t ruby.Step) {
		begin(int(t.At))
		c.Events = append(c.Events, trace.Event{
			Kind: trace.Transition, At: int64(t.At), Place: fmt.Sprintf("%s %d", t.Machine, t.Number), Line: int64(t.Line),
			Name: t.Event, State: t.State, Next: t.Next, Own: t.Own,
		})
	}, func(m ruby.Message) {
		if m.To == "" {
			return
		}
		begin(int(m.At))
		from, to := ownerOf(m.Buffer), ownerOf(m.To)
		key := fmt.Sprintf("%s > %s: %s", from, m.To, m.Text())
		flying[key] = append(flying[key], len(c.Events))
		if data := m.Data(); data != nil {
			c.Values[len(c.Events)] = fmt.Sprintf("data %d", data[0])
		}
		// One that does not arrive is drawn to the end, and says so.
		c.Events = append(c.Events, trace.Event{
			Kind: trace.Message, At: int64(m.At), Place: from, Line: int64(m.Line), Name: m.Type(), To: to, Arrives: int64(len(f.Steps) + 1),
		})
	})
	if err != nil {
		return nil, err
	}
	begin(len(f.Steps))
	for _, list := range flying {
		for _, i := range list {
			c.Events[i].Name += ", not delivered"
		}
	}
	markEnd(c, f)
	return c, nil
}

// markEnd marks the transition that failed, which was not taken, or else the last one.
func markEnd(c *chart.Chart, f *Finding) {
	failed, ok := diagnose.FailedTransition(&f.Failure)
	if ok {
		failed.At = int64(len(f.Steps))
		c.Marks[len(c.Events)] = chart.Mark{Class: chart.Fault, Note: f.Failure.Kind}
		c.Events = append(c.Events, failed)
		c.Legend = map[string]string{chart.Fault: "where the path fails"}
		return
	}
	for i := len(c.Events) - 1; i >= 0; i-- {
		if c.Events[i].Kind == trace.Transition {
			c.Marks[i] = chart.Mark{Class: chart.Fault, Note: f.Property.String()}
			c.Legend = map[string]string{chart.Fault: "the last transition of the path, after which the property does not hold"}
			return
		}
	}
}

// access splits a step of a core or a device: who makes it, and the rest.
func access(step string) (who, what string, ok bool) {
	for _, kind := range []string{"core", "device"} {
		var number int
		if n, _ := fmt.Sscanf(step, kind+" %d", &number); n == 1 {
			who = fmt.Sprintf("%s %d", kind, number)
			return who, strings.TrimLeft(strings.TrimPrefix(step, who), ": "), true
		}
	}
	return "", "", false
}

// ownerOf is the controller of a buffer, whose name stands before the buffer's.
func ownerOf(buffer string) string { return buffer[:max(strings.LastIndexByte(buffer, ' '), 0)] }
