package cli

import (
	"strings"

	"github.com/spf13/pflag"

	"ordeal/campaigns/config"
	"ordeal/sim/builtin"
)

// programFlags adds the flags that describe random programs.
func programFlags(fs *pflag.FlagSet, p *config.Programs) {
	fs.IntVar(&p.Threads, "threads", p.Threads, "number of threads")
	fs.IntVar(&p.Ops, "ops", p.Ops, "operations of each thread")
	fs.IntVar(&p.Locations, "locations", p.Locations, "number of locations")
	fs.StringVar(&p.Mix, "mix", p.Mix, "weights of the kinds of operation")
	fs.Float64Var(&p.Delays, "delays", p.Delays, "share of delays among the operations, 0 to below 1")
	fs.Uint64Var(&p.MaxDelay, "max-delay", p.MaxDelay, "longest delay, in loop iterations")
	fs.StringVar(&p.Layout, "layout", p.Layout, "memory layout: packed, spread, pairs, conflict, or any")
	fs.Float64Var(&p.Locality, "locality", p.Locality, "share of accesses to a small working set, 0 to 1")
	fs.Float64Var(&p.ShapeShare, "shape-share", p.ShapeShare, "share of operations in planted critical cycles, 0 to 1")
	fs.IntVar(&p.Transaction, "transaction", p.Transaction, "operations of the longest transaction, for check --serializability; 0 means none")
	fs.BoolVar(&p.FenceTransactions, "fence-transactions", p.FenceTransactions, "close every transaction by a fence")
	fs.StringSliceVar(&p.Shapes, "shapes", p.Shapes, "critical cycles to plant; empty means all that fit")
}

// roundFlags adds the flags that say how a program is executed.
func roundFlags(fs *pflag.FlagSet, p *config.Programs) {
	fs.IntVar(&p.Rounds, "rounds", p.Rounds, "how often to execute the program in one run")
	fs.StringVar(&p.Sync, "sync", p.Sync, "how threads proceed from round to round: "+strings.Join(config.Syncs(), ", "))
}

// machineFlags adds the flags that describe what is simulated, some of them
// by gem5 too.
func machineFlags(fs *pflag.FlagSet, m *config.Machine) {
	fs.StringVar(&m.Core, "core", m.Core, "builtin: kind of the cores: inorder, tso, ooo, pso, rmo (default tso)")
	fs.StringVar(&m.Protocol, "protocol", m.Protocol, "builtin: memory system: "+strings.Join(builtin.Protocols(), ", ")+" (default "+builtin.Ideal+")")
	fs.StringVar(&m.SLICC, "slicc", m.SLICC, "builtin: root file of a coherence protocol in gem5's language, as MI_example.slicc")
	fs.BoolVar(&m.Repair, "repair", m.Repair, "builtin: edit the known defects of gem5's files out of the protocol")
	fs.StringVar(&m.Mutant, "mutant", m.Mutant, "builtin: fault to plant in the protocol, as mutate list names it")
	fs.IntVar(&m.Cores, "cores", m.Cores, "builtin, gem5: number of cores, at least one for each thread; 0 means as many")
	fs.IntVar(&m.L2Banks, "l2-banks", m.L2Banks, "builtin, gem5: number of banks of a shared cache; 0 means 1")
	fs.IntVar(&m.Dirs, "dirs", m.Dirs, "builtin, gem5: number of directories; 0 means 1")
	fs.StringVar(&m.PrivateCache, "private-cache", m.PrivateCache, "builtin: SETSxWAYS of a core's caches (default 2x2)")
	fs.StringVar(&m.SharedCache, "shared-cache", m.SharedCache, "builtin: SETSxWAYS of second levels and beyond (default 2x4)")
	fs.IntVar(&m.TBEs, "tbes", m.TBEs, "builtin: transactions that a controller has room for; 0 means 256")
	fs.Int64Var(&m.MemoryLatency, "memory-latency", m.MemoryLatency, "builtin: least latency of memory behind a coherence protocol, in ticks; 0 means the default")
	fs.Int64Var(&m.MemoryJitter, "memory-jitter", m.MemoryJitter, "builtin: jitter of that latency, in ticks")
	fs.IntVar(&m.StoreBuffer, "store-buffer", m.StoreBuffer, "builtin: stores that a store buffer holds; 0 means the default")
	fs.IntVar(&m.Window, "window", m.Window, "builtin: operations that an out-of-order core looks at; 0 means the default")
	fs.Int64Var(&m.Latency, "latency", m.Latency, "builtin: least latency of memory or messages, in ticks; 0 means the default")
	fs.Int64Var(&m.Jitter, "jitter", m.Jitter, "builtin: jitter of the latency, in ticks")
	fs.BoolVar(&m.LockedRMW, "locked-rmw", m.LockedRMW, "builtin: read-modify-writes as pairs of accesses under a lock")
	fs.StringVar(&m.EventOrder, "event-order", m.EventOrder, "builtin: order of events in a tick: shuffled, fifo, lifo (default shuffled)")
	fs.Int64Var(&m.Watchdog, "watchdog", m.Watchdog, "builtin: age in ticks at which an access is taken for deadlocked; 0 means the default")
	fs.Uint64Var(&m.StepBudget, "step-budget", m.StepBudget, "builtin: most events of a run; 0 means the default")
	fs.BoolVar(&m.Execution, "execution", m.Execution, "builtin: log when every store is committed, for check --serializability")
	fs.StringSliceVar(&m.CoreBugs, "core-bugs", m.CoreBugs, "builtin: faults to plant in the cores")
}
