package bugs

import (
	"strings"
	"testing"
)

// TestGem5 requires the list that comes with the package to be long and valid.
func TestGem5(t *testing.T) {
	l, err := History()
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Bugs) < 100 {
		t.Errorf("%d bugs, want at least 100", len(l.Bugs))
	}
	if _, err := l.Select([]string{"MI-1"}); err == nil || !strings.Contains(err.Error(), "MI-0") {
		t.Errorf("Select of an unknown bug: %v, want a hint", err)
	}
}

func TestReadFaults(t *testing.T) {
	const head = "base: b1a44b89c7\nbugs:\n"
	for _, c := range []struct{ text, want string }{
		{"base: zz\nbugs: []", `base "zz"`},
		{"base: b1a44b89c7\nbugs: []", "no bugs"},
		{head + "  - {id: a, protocol: MI_example, about: x, cause: data, fix: fef6a97f93, colour: red}", "field colour not found"},
		{head + "  - {id: a, protocol: ../MI, about: x, cause: data, fix: fef6a97f93}", `x:3: bug "a": protocol "../MI"`},
		{head + "  - {id: a, protocol: MI, about: x, cause: dta, fix: fef6a97f93}", `cause "dta"`},
		{head + "  - {id: a, protocol: MI, about: x, cause: data, title: t, verdict: certan}", `verdict "certan"`},
		{head + "  - {id: a, protocol: MI, about: x, cause: data, needs: [dna], fix: fef6a97f93}", `needs "dna"`},
		{head + "  - {id: a, protocol: MI, about: x, cause: data, fix: master}", `fix "master"`},
		{head + "  - {id: a, protocol: MI, about: x, cause: data}", "want fix, or title"},
		{head + "  - {id: a, protocol: MI, about: x, cause: data, edits: [{file: a, drop: b}], before: fef6a97f93}", "at most one of"},
		{head + "  - {id: a, protocol: MI, about: x, cause: data, hunks: {f: [1]}}", "hunks: want fix"},
		{head + "  - {id: a, protocol: MI, about: x, cause: data, edits: [{file: f}]}", "edit 1: want one of"},
		{head + "  - {id: a, protocol: MI, about: x, cause: data, edits: [{file: ../f, drop: x}]}", `edit 1: file "../f"`},
		{head + "  - {id: a, protocol: MI, about: x, cause: data, title: t, repair: [{file: f, add: x}]}", "repair: edit 1: at: want the block"},
		{head + "  - {id: a, protocol: MI, about: x, cause: data, fix: fef6a97f93, repair: [{file: f, drop: x}]}", "repair: want a bug that is still there"},
		{head + "  - {id: a, protocol: MI, about: x, cause: data, fix: fef6a97f93, also: [x]}", "also: want a bug that is still there"},
		{head + "  - {id: a, protocol: MI, about: x, cause: data, fix: fef6a97f93, run: {seed: 1}}", "run: want a bug that is still there"},
		{head + "  - {id: a, protocol: MI, about: x, cause: data, title: t, run: {rounds: 1, machine: {slicc: f}}}", "run: machine: want none of slicc"},
		{head + "  - {id: a, protocol: MI, about: x, cause: data, title: t, run: {rounds: 1, machine: {core: ooo, colour: red}}}", "field colour not found"},
		{head + "  - {id: a, protocol: MI, about: x, cause: data, title: t, run: {rounds: 1, machine: {core: big}}}", `run: machine: core: unknown core "big"`},
		{head + "  - {id: a, protocol: MI, about: x, cause: data, title: t, run: {machine: {core: ooo}, program: none}}", "run: parse program:1"},
		{head + "  - {id: a, protocol: MI, about: x, cause: data, title: t, run: {explore: {lines: 2}, rounds: 1}}", "run: explore: want no program"},
		{head + "  - {id: a, protocol: MI, about: x, cause: data, title: t, run: {machine: {core: ooo}}}", "run: rounds 0: want at least 1"},
		{head + "  - {id: a, protocol: MI, about: x, cause: data, title: t}\naccepted:\n  - {protocol: MI, about: x}", "x:5: accepted: want protocol, titles and about"},
		{head + "  - {id: a, protocol: MI, about: x, cause: data, title: m}\n  - {id: a, protocol: MI, about: x, cause: data, title: m}", `x:4: bug "a": the ID is that of line 3`},
	} {
		if _, err := Read("x", strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n%v\nwant %q", c.text, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(string(historyYAML[:2000]))
	f.Add("base: b1a44b89c7\nbugs:\n  - {id: a, protocol: MI, about: x, cause: data, edits: [{file: f, at: \"transition(M\", remove: true}]}")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := Read("x", strings.NewReader(text))
		if err == nil && len(l.Bugs) == 0 {
			t.Error("no bugs and no error")
		}
	})
}

const table = `machine(MachineType:L1Cache, "x") : Cycles latency := 1;
{
  action(a_go, "a", desc="}") {
    enqueue(out, RequestMsg, latency) {
      out_msg.Dest := directory;
      out_msg.Len := size;
    }
  }

  transition({I, S}, Load, IS) {
    a_go;
    m_pop;
  }

  transition(I,   Store, IM) {
    a_go;
  }
}
`

func TestEdit(t *testing.T) {
	for _, c := range []struct {
		edit Edit
		want []string // that appear or, after !, do not
	}{
		{Edit{File: "f", At: "transition({I,S},Load", Remove: true}, []string{"!Load", "Store, IM", "a_go, \"a\""}},
		{Edit{File: "f", At: "transition(I, Store", Drop: "a_go;"}, []string{"Store, IM) {\n  }", "IS) {\n    a_go;"}},
		{Edit{File: "f", At: "action(a_go", Drop: "out_msg.Len"}, []string{"!size", "directory"}},
		{Edit{File: "f", Replace: map[string]string{"IS": "IM", "IM": "IS"}}, []string{"Load, IM", "Store, IS"}},
		{Edit{File: "f", At: "transition(I, Store", Before: "transition({I, S}"}, []string{"Store, IM) {\n    a_go;\n  }\n  transition({I, S}"}},
	} {
		if err := c.edit.validate(); err != nil {
			t.Errorf("%+v: %v", c.edit, err)
		}
		got, err := c.edit.apply(table)
		if err != nil {
			t.Errorf("%+v: %v", c.edit, err)
			continue
		}
		for _, want := range c.want {
			text, absent := strings.CutPrefix(want, "!")
			if strings.Contains(got, text) == absent {
				t.Errorf("%+v:\n%s\nwant %q", c.edit, got, want)
			}
		}
	}
	for _, e := range []Edit{
		{File: "f", At: "transition(I, Evict", Remove: true}, {File: "f", Drop: "nothing"}, {File: "f", Replace: map[string]string{"nothing": ""}},
		{File: "f", At: "action(a_go", Before: "nothing"},
	} {
		if got, err := e.apply(table); err == nil {
			t.Errorf("%+v: no error:\n%s", e, got)
		}
	}
}
