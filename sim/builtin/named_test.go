package builtin

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ordeal/sim"
	"ordeal/sim/builtin/core"
	"ordeal/sim/protocols"
	"ordeal/sim/ruby"
	"ordeal/sim/slicc/syntax"
)

// TestCompiled runs a protocol that is already compiled as one from its name.
func TestCompiled(t *testing.T) {
	for _, name := range protocols.Names() {
		tree, err := protocols.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		compiled, err := ruby.Compile(tree)
		if err != nil {
			t.Fatal(err)
		}
		job := sim.Job{Program: randomProgram(t, 1, 4), Rounds: 3, Seed: 5}
		var reports []Report
		for _, o := range []Options{{Protocol: name, Core: core.OOO}, {Protocol: "edited", Compiled: compiled, Core: core.OOO}} {
			r := newRunner(t, o)
			if v := r.Version(t.Context()); !strings.HasPrefix(v, "protocol "+o.Protocol+",") {
				t.Errorf("%s: version %q", name, v)
			}
			report := ends(t, r, job, sim.Passed, "")
			reports = append(reports, report)
		}
		if !bytes.Equal(reports[0].Log, reports[1].Log) || reports[0].Statistics != reports[1].Statistics {
			t.Errorf("%s runs otherwise when compiled before", name)
		}
	}
}

func TestProtocolOptions(t *testing.T) {
	tree, err := syntax.Load(os.DirFS(filepath.Dir(smallProtocol)), filepath.Base(smallProtocol))
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := ruby.Compile(tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want    string
		options Options
	}{
		{"mi, mesi-two-level", Options{Protocol: "mesi"}},
		{"and a compiled protocol", Options{SLICC: smallProtocol, Compiled: compiled}},
		{"want its source", Options{Compiled: compiled, Mutant: "x"}},
		{`and protocol "mi"`, Options{Protocol: "mi", SLICC: smallProtocol}},
		{"want a file to repair", Options{Compiled: compiled, Repair: true}},
		{"want a file to repair", Options{Protocol: "mi", Repair: true}},
	} {
		c.options.Core = core.TSO
		if err := c.options.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	for _, name := range protocols.Names() {
		if !slices.Contains(Protocols(), name) {
			t.Errorf("no protocol %s", name)
		}
	}
	if err := (Options{Compiled: compiled, Core: core.TSO}).Validate(); err != nil {
		t.Error(err)
	}
}
