package ruby

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/slicc/syntax"
)

// Fail is a conditional store that did not happen.
func (c *core) Fail(uint64) {}

// TestLockedKinds sends linked loads and conditional stores as requests of their own where
// the protocol's options say so, and else as loads and stores. The cache says what it gets.
// Cores may flush lines where an option says so.
func TestLockedKinds(t *testing.T) {
	const load, conditional, flushes = "use_secondary_load_linked", "use_secondary_store_conditional", "supports_flushes"
	for _, c := range []struct {
		options string
		lock    memory.Lock
		want    string
	}{
		{"", memory.LoadLinked, "LD"},
		{"", memory.StoreConditional, "ST"},
		{conditional, memory.LoadLinked, "LD"},
		{conditional, memory.StoreConditional, "Store_Conditional"},
		{load, memory.LoadLinked, "Load_Linked"},
		{load, memory.StoreConditional, "ST"},
		{load + ", " + conditional, memory.NoLock, "LD"},
		{flushes, memory.NoLock, "LD"},
	} {
		fsys := fstest.MapFS{}
		for name, edit := range map[string]*strings.Replacer{
			"small.slicc": strings.NewReplacer(`protocol "Small"`, `protocol "Small" `+c.options),
			"native.sm":   strings.NewReplacer("  ST;", "  ST;\n  Load_Linked;\n  Store_Conditional;\n  FLUSH;"),
			"cache.sm":    strings.NewReplacer(`block_on="LineAddress") {`, `block_on="LineAddress") { assert(in_msg.Type != RubyRequestType:`+c.want+`);`),
			"messages.sm": strings.NewReplacer(),
			"home.sm":     strings.NewReplacer(),
		} {
			data, err := os.ReadFile("testdata/small/" + name)
			if err != nil {
				t.Fatal(err)
			}
			fsys[name] = &fstest.MapFile{Data: []byte(edit.Replace(string(data)))}
		}
		file, err := syntax.Load(fsys, "small.slicc")
		if err != nil {
			t.Fatal(err)
		}
		p, err := Compile(file)
		if err != nil {
			t.Fatal(err)
		}
		if p.Flushes() != (c.options == flushes) {
			t.Errorf("options %q: cores may flush: %v", c.options, p.Flushes())
		}
		q := event.New(event.FIFO, 1)
		s := New(q, p, Options{Cores: 2}.WithDefaults())
		s.Port(1).Attach(&core{})
		s.Port(1).Access(memory.Request{Line: 0x1000, Write: c.lock == memory.StoreConditional, Lock: c.lock})
		if err := q.Run(1000); err == nil || !strings.HasPrefix(err.Error(), "failed assertion in ") {
			t.Errorf("options %q: lock %d is not sent as %s: error %v", c.options, c.lock, c.want, err)
		}
	}
}
