package cli

import (
	"strings"

	"github.com/spf13/pflag"

	"ordeal/campaigns"
)

// programFlags adds the flags that describe random programs.
func programFlags(fs *pflag.FlagSet, p *campaigns.Programs) {
	fs.IntVar(&p.Threads, "threads", p.Threads, "number of threads")
	fs.IntVar(&p.Ops, "ops", p.Ops, "operations of each thread")
	fs.IntVar(&p.Locations, "locations", p.Locations, "number of locations")
	fs.StringVar(&p.Mix, "mix", p.Mix, "weights of the kinds of operation")
	fs.Float64Var(&p.Delays, "delays", p.Delays, "share of delays among the operations, 0 to below 1")
	fs.Uint64Var(&p.MaxDelay, "max-delay", p.MaxDelay, "longest delay, in loop iterations")
	fs.StringVar(&p.Layout, "layout", p.Layout, "memory layout: packed, spread, pairs, conflict, or any")
	fs.Float64Var(&p.Locality, "locality", p.Locality, "share of accesses to a small working set, 0 to 1")
	fs.Float64Var(&p.ShapeShare, "shape-share", p.ShapeShare, "share of operations in planted critical cycles, 0 to 1")
	fs.StringSliceVar(&p.Shapes, "shapes", p.Shapes, "critical cycles to plant; empty means all that fit")
}

// roundFlags adds the flags that say how a program is executed.
func roundFlags(fs *pflag.FlagSet, p *campaigns.Programs) {
	fs.IntVar(&p.Rounds, "rounds", p.Rounds, "how often to execute the program in one run")
	fs.StringVar(&p.Sync, "sync", p.Sync, "how threads proceed from round to round: "+strings.Join(campaigns.Syncs(), ", "))
}
