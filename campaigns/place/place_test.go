package place

import (
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
)

// TestFind finds the lines by hand of what titles name in the protocols that come
// with ordeal: grep -n in sim/protocols/slicc.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		protocol, title string
		file            string
		line            int
		name            string
	}{
		{"mi", "stale copy in L1Cache(M)", "MI_example-cache.sm", 30, "L1Cache/(M)"},
		{"mi", "load not repeated after L1Cache(M,Fwd_GETX)", "MI_example-cache.sm", 344, "L1Cache/(M,Fwd_GETX)"},
		{"mesi-two-level", "overtaken data read in L1Cache(IS_I)", "MESI_Two_Level-L1cache.sm", 41, "L1Cache/(IS_I)"},
		{"mesi-two-level", "load not repeated after L1Cache(S,Inv)", "MESI_Two_Level-L1cache.sm", 647, "L1Cache/(S,Inv)"},
		{"mesi-two-level", "invalid transition (E, Inv) of L1Cache", "MESI_Two_Level-L1cache.sm", 657, "L1Cache/(E,Inv)"},
		{"mesi-two-level", "invalid transition: l1_cntrl in M on Fwd_GETX", "MESI_Two_Level-L1cache.sm", 673, "L1Cache/(M,Fwd_GETX)"},
		{"mi", "deadlock: L1Cache holds back forwardBuffer and mandatoryQueue in MI", "MI_example-cache.sm", 33, "L1Cache/(MI)"},
		{"mi", "value lost after Fwd_GETX in L1Cache", "MI_example-cache.sm", 43, "L1Cache/(*,Fwd_GETX)"},
		{"mi", "old data brought to L1Cache", "MI_example-cache.sm", 15, "L1Cache"},
		{"mi", "deadlock: a request is lost, Directory in I", "MI_example-dir.sm", 22, "Directory/(I)"},
		{"moesi-amd-base", "stale copy in CorePair(Mn)", "MOESI_AMD_Base-CorePair.sm", 61, "CorePair/(Mn)"},
		{"mi", "deadlock: DMA has a transaction in MI", "MI_example-dma.sm", 19, "DMA/(MI)"},
		{"mi", "failed assertion at MI_example-dir.sm:128", "MI_example-dir.sm", 128, ""},
	} {
		p, dir, err := Load(config.SimBuiltin, &config.Config{Machine: config.Machine{Protocol: c.protocol}})
		must.Succeed(t, err)
		at, ok := Find(p, c.title)
		if !ok || dir != "" || at.File != c.file || at.Line != c.line || at.Name != c.name {
			t.Errorf("%s: %+v, %t; want %s:%d, %s", c.title, at, ok, c.file, c.line, c.name)
		}
	}
}

// TestNowhere finds no place where a title names none of the protocol.
func TestNowhere(t *testing.T) {
	p, _, err := Load(config.SimBuiltin, &config.Config{Machine: config.Machine{Protocol: "mi"}})
	must.Succeed(t, err)
	for _, title := range []string{"", "log is corrupt", "history forbidden by tso: RR|WW", "stale copy in L9Cache(M)", "invalid transition: x in NoState on Load", "store performed before an earlier store"} {
		if at, ok := Find(p, title); ok {
			t.Errorf("%q is at %+v", title, at)
		}
	}
	if p, _, err := Load(config.SimHost, new(config.Config)); p != nil || err != nil {
		t.Errorf("the processor has the protocol %v, %v", p, err)
	}
}
