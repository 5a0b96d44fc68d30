package explore

import (
	"strings"
	"testing"

	"ordeal/gen"
	"ordeal/sim/builtin/core"
)

// TestValidate refuses machines that cannot be, each by the name of what is
// wrong.
func TestValidate(t *testing.T) {
	p := compiled(t, "mesi-two-level")
	program := &gen.Program{
		Layout: gen.Spread, Locations: []string{"x"},
		Threads: [][]gen.Op{{{Kind: gen.Store, Value: 1}}, {{Kind: gen.Load}}},
	}
	for _, c := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.System.Cores = -1 }, "-1 cores"},
		{func(c *Config) { c.System.Banks = 3 }, "3 banks"},
		{func(c *Config) { c.Lines = 17 }, "--lines 17"},
		{func(c *Config) { c.Values = -1 }, "--values -1"},
		{func(c *Config) { c.Words = 9 }, "--words 9"},
		{func(c *Config) { c.System.Transfers = 2 }, "--device-threads 2"},
		{func(c *Config) { c.Outstanding = 99 }, "--outstanding 99"},
		{func(c *Config) { c.Depth = 1000 }, "--depth 1000"},
		{func(c *Config) { c.Program, c.Core = program, core.RMO }, "rmo"},
		{func(c *Config) { c.Program, c.Core, c.System.Cores = program, core.TSO, 1 }, "thread 1 on core 1"},
		{func(c *Config) { c.Program, c.Core, c.Placement = program, core.TSO, []int{1, 1} }, "thread 1 on core 1"},
		{func(c *Config) { c.Program, c.Core, c.Placement = program, core.TSO, []int{1} }, "1 cores for 2 threads"},
		{func(c *Config) { c.Program, c.Core, c.IdleLoads = program, core.TSO, -1 }, "--idle-loads -1"},
	} {
		config := tiny(p, 2, 2)
		c.change(&config)
		if _, err := New(config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
		if _, err := Reference(config, 10); err == nil {
			t.Errorf("%q: the reference explorer accepts it", c.want)
		}
	}
}
