package diagnose_test

import (
	"strings"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/diagnose"
	"ordeal/campaigns/internal/must"
	"ordeal/sim"
)

// TestLocate finds the lines by hand of what failures name in the protocols that come
// with ordeal: grep -n in sim/protocols/slicc.
func TestLocate(t *testing.T) {
	for _, c := range []struct {
		protocol, row string
		file          string
		line          int
		name          string
	}{
		{"mi", "L1Cache,M,", "MI_example-cache.sm", 30, "L1Cache/(M)"},
		{"mi", "L1Cache,M,Fwd_GETX", "MI_example-cache.sm", 344, "L1Cache/(M,Fwd_GETX)"},
		{"mesi-two-level", "L1Cache,IS_I,", "MESI_Two_Level-L1cache.sm", 41, "L1Cache/(IS_I)"},
		{"mesi-two-level", "L1Cache,S,Inv", "MESI_Two_Level-L1cache.sm", 647, "L1Cache/(S,Inv)"},
		{"mesi-two-level", "L1Cache,E,Inv", "MESI_Two_Level-L1cache.sm", 657, "L1Cache/(E,Inv)"},
		{"mesi-two-level", "l1_cntrl,M,Fwd_GETX", "MESI_Two_Level-L1cache.sm", 673, "L1Cache/(M,Fwd_GETX)"},
		{"mi", "L1Cache,MI,", "MI_example-cache.sm", 33, "L1Cache/(MI)"},
		{"mi", "L1Cache,,Fwd_GETX", "MI_example-cache.sm", 43, "L1Cache/(*,Fwd_GETX)"},
		{"mi", "L1Cache,,", "MI_example-cache.sm", 15, "L1Cache"},
		{"mi", "Directory,I,", "MI_example-dir.sm", 22, "Directory/(I)"},
		{"moesi-amd-base", "CorePair,Mn,", "MOESI_AMD_Base-CorePair.sm", 61, "CorePair/(Mn)"},
		{"mi", "DMA,MI,", "MI_example-dma.sm", 19, "DMA/(MI)"},
	} {
		p, source, err := config.LoadProtocol(config.SimBuiltin, &config.Config{Machine: config.Machine{Protocol: c.protocol}})
		must.Succeed(t, err)
		names := strings.Split(c.row, ",")
		at, ok := diagnose.Locate(p, &sim.Failure{Row: sim.Row{Machine: names[0], State: names[1], Event: names[2]}})
		if !ok || source.Root != "" || at.File != c.file || at.Line != c.line || at.Name != c.name {
			t.Errorf("%s: %+v, %t; want %s:%d, %s", c.row, at, ok, c.file, c.line, c.name)
		}
	}
}

// TestNowhere finds no place where a failure names none of the protocol, and the place of
// a statement without looking for it.
func TestNowhere(t *testing.T) {
	p, _, err := config.LoadProtocol(config.SimBuiltin, &config.Config{Machine: config.Machine{Protocol: "mi"}})
	must.Succeed(t, err)
	for _, f := range []sim.Failure{{}, {Row: sim.Row{Machine: "L9Cache", State: "M"}}, {Row: sim.Row{Machine: "x", State: "NoState", Event: "Load"}}} {
		if at, ok := diagnose.Locate(p, &f); ok {
			t.Errorf("%+v is at %+v", f, at)
		}
	}
	at, ok := diagnose.Locate(p, &sim.Failure{Row: sim.Row{Machine: "Directory"}, Function: "f", At: sim.Place{File: "a.sm", Line: 7}})
	if want := (diagnose.Place{File: "a.sm", Line: 7}); !ok || at != want {
		t.Errorf("a statement is at %+v", at)
	}
	if p, _, err := config.LoadProtocol(config.SimHost, new(config.Config)); p != nil || err != nil {
		t.Errorf("the processor has the protocol %v, %v", p, err)
	}
}
