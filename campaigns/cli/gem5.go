package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"ordeal/campaigns/config"
	"ordeal/sim"
	"ordeal/sim/gem5"
)

// gem5Flags adds the flags that describe a gem5 and what it simulates, beside
// machineFlags.
func gem5Flags(fs *pflag.FlagSet, g *config.Gem5) {
	fs.StringVar(&g.Binary, "gem5", g.Binary, "gem5: the binary")
	fs.StringVar(&g.Tree, "gem5-tree", g.Tree, "gem5: the source tree that it was built from")
	fs.StringVar(&g.CPU, "cpu", g.CPU, "gem5: kind of the cores: "+strings.Join(gem5.CPUs(), ", ")+" (default timing)")
	fs.StringVar(&g.L1DSize, "l1d-size", g.L1DSize, "gem5: data cache of a core (default 512B)")
	fs.IntVar(&g.L1DAssoc, "l1d-assoc", g.L1DAssoc, "gem5: its ways; 0 means 2")
	fs.StringVar(&g.L1ISize, "l1i-size", g.L1ISize, "gem5: instruction cache of a core (default 4kB)")
	fs.IntVar(&g.L1IAssoc, "l1i-assoc", g.L1IAssoc, "gem5: its ways; 0 means 2")
	fs.StringVar(&g.L2Size, "l2-size", g.L2Size, "gem5: a bank of the second cache (default 8kB)")
	fs.IntVar(&g.L2Assoc, "l2-assoc", g.L2Assoc, "gem5: its ways; 0 means 4")
	fs.StringVar(&g.Network, "network", g.Network, "gem5: "+strings.Join(gem5.Networks(), " or ")+" (default simple)")
	fs.IntVar(&g.LinkLatency, "link-latency", g.LinkLatency, "gem5: latency of a link, in cycles; 0 means 1")
	fs.BoolVar(&g.Randomization, "randomization", g.Randomization, "gem5: let Ruby shuffle messages")
	fs.IntVar(&g.DeadlockThreshold, "deadlock-threshold", g.DeadlockThreshold, "gem5: cycles after which a request is deadlocked; 0 means gem5's own bound")
	fs.Int64Var(&g.MaxTicks, "max-ticks", g.MaxTicks, "gem5: longest simulated time; 0 means no bound")
	fs.BoolVar(&g.StoreOrder, "store-order", g.StoreOrder, "gem5: trace the order of stores, for check --procedure conflict; slow")
	fs.StringSliceVar(&g.Rebuild, "rebuild", g.Rebuild, "gem5: command that rebuilds the binary in the tree for --mutant, words separated by commas")
	fs.StringSliceVar(&g.TreeOptions, "tree-options", g.TreeOptions, "gem5: options for the tree's own configuration, as --recycle-latency=3")
}

// showGem5 has a runner on gem5 print its progress to w now and then.
func showGem5(w io.Writer, runner sim.Runner) {
	g, ok := runner.(*gem5.Runner)
	if !ok {
		return
	}
	var mu sync.Mutex
	last := time.Now()
	g.OnProgress(func(p gem5.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Sub(last) >= plainEvery {
			last = now
			fmt.Fprintf(w, "gem5: %d ticks, %d instructions\n", p.Ticks, p.Instructions)
		}
	})
}

// The environment variables that doctor and campaigns/gem5.yaml look at.
const (
	gem5Variable = "ORDEAL_GEM5"
	treeVariable = "ORDEAL_GEM5_TREE"
)

// gem5 says which gem5 there is: the binary of the environment, and those
// that were built in the tree of the environment.
func (d *doctor) gem5(ctx context.Context) {
	tree := os.Getenv(treeVariable)
	if tree == "" {
		d.line("none", "gem5", "optional, for --sim gem5: clone github.com/gem5/gem5, set "+treeVariable+" to the folder,")
		d.line("", "", "build a protocol in it as its README says, scons build/X86_MESI_Two_Level/gem5.opt, and run doctor again")
		return
	}
	if _, err := os.Stat(filepath.Join(tree, "configs", "ruby")); err != nil {
		d.line("warn", "gem5", fmt.Sprintf("%s is %s, which has no folder configs/ruby: want a gem5 source tree", treeVariable, tree))
		return
	}
	binaries, _ := filepath.Glob(filepath.Join(tree, "build", "*", "gem5.*")) // the pattern is well-formed
	if binary := os.Getenv(gem5Variable); binary != "" {
		binaries = append([]string{binary}, binaries...)
	}
	found := false
	for _, binary := range binaries {
		if info, err := os.Stat(binary); err == nil && (!info.Mode().IsRegular() || info.Mode()&0o111 == 0) {
			continue
		}
		found = true
		if info, err := gem5.Probe(ctx, binary); err != nil {
			d.line("warn", "gem5", err.Error())
		} else {
			d.line("ok", "gem5", binary+": "+info.String())
		}
	}
	if !found {
		d.line("warn", "gem5", fmt.Sprintf("%s has no build/*/gem5.*: build a protocol in it, as scons build/X86_MESI_Two_Level/gem5.opt", tree))
	}
}
