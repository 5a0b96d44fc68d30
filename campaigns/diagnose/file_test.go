package diagnose

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/internal/must"
	"ordeal/gen"
	"ordeal/sim/trace"
)

// recordedCause has a stale read, with the places of its transitions.
func recordedCause(t *testing.T) (*gen.Program, *Witness, *Cause) {
	t.Helper()
	p, w := messagePassing()
	p.Threads = [][]gen.Op{{{Kind: gen.Store, Loc: 0, Value: 1}, {Kind: gen.Store, Loc: 1, Value: 2}}, {{Kind: gen.Load, Loc: 1}, {Kind: gen.Load, Loc: 0}}}
	table := func(machine, state, event string) (string, []string) {
		return "a.sm:" + strings.Repeat("1", len(state)), []string{machine, event}
	}
	c := Find(p, w, lineOf, []trace.Event{
		transition(10, reader, "I", "Load", "IS", true),
		transition(20, reader, "IS", "Inv", "IS_I", false),
		transition(30, writer, "SM", "Ack_all", "M", false),
		store(30, 1, 0),
		transition(40, reader, "IS_I", "Data", "I", false),
		load(40, 0, 0, 1),
		load(50, 1, 2, 0),
	}, table)
	c.LogHash = "cafe"
	return p, w, c
}

// TestTraceFile demands that a cause from a recorded trace says what it said.
func TestTraceFile(t *testing.T) {
	p, w, c := recordedCause(t)
	var file, before, after bytes.Buffer
	must.Succeed(t, c.WriteTrace(&file))
	read, err := ReadTrace(bytes.NewReader(file.Bytes()), p)
	must.Succeed(t, err)
	must.Succeed(t, c.WriteText(&before))
	must.Succeed(t, Find(p, w, read.LineOf, read.Events, read.Table).WriteText(&after))
	if diff := cmp.Diff(before.String(), after.String()); diff != "" || read.LogHash != "cafe" {
		t.Errorf("log %s (-written +read):\n%s", read.LogHash, diff)
	}
	for name, fault := range map[string]string{
		"other program":  strings.Replace(file.String(), `"lines":[64,128]`, `"lines":[64]`, 1),
		"other version":  strings.Replace(file.String(), `"version":1`, `"version":7`, 1),
		"other location": strings.Replace(file.String(), `"Loc":1`, `"Loc":2`, 1),
		"no JSON":        file.String() + "x",
		"empty":          "",
	} {
		if _, err := ReadTrace(strings.NewReader(fault), p); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzReadTrace(f *testing.F) {
	p, _ := messagePassing()
	p.Threads = make([][]gen.Op, 2)
	f.Add([]byte("{\"version\":1,\"log_sha256\":\"\",\"lines\":[64,128]}\n{\"event\":{\"Kind\":4,\"Loc\":1}}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		read, err := ReadTrace(bytes.NewReader(data), p)
		if err != nil {
			return
		}
		_, w := messagePassing()
		must.Succeed(t, Find(p, w, read.LineOf, read.Events, read.Table).WriteText(new(bytes.Buffer)))
	})
}

// TestSelect selects events by each part of a filter.
func TestSelect(t *testing.T) {
	_, _, c := recordedCause(t)
	ticks := func(f Filter) (list []int64) {
		events, err := c.Select(f)
		must.Succeed(t, err)
		for _, e := range events {
			list = append(list, e.At)
		}
		return list
	}
	for _, test := range []struct {
		filter Filter
		want   []int64
	}{
		{Filter{Around: "d"}, []int64{10, 20, 30, 30, 40, 40}},
		{Filter{Around: "(c)"}, []int64{50}},
		{Filter{Location: "y"}, []int64{50}},
		{Filter{Ticks: true, From: 20, To: 30}, []int64{20, 30, 30}},
		{Filter{Ticks: true, From: 20, To: 60, Location: "y"}, []int64{50}},
	} {
		if diff := cmp.Diff(test.want, ticks(test.filter)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", test.filter, diff)
		}
	}
	for _, f := range []Filter{{Around: "q"}, {Around: "b"}, {Location: "z"}, {Ticks: true, From: 99, To: 100}, {Ticks: true, From: 2, To: 1}, {Around: "d", Ticks: true}} {
		if _, err := c.Select(f); err == nil {
			t.Errorf("%+v: no error", f)
		}
	}
}
