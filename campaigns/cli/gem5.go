package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/report/progress"
	"ordeal/gen/option"
	"ordeal/sim"
	"ordeal/sim/gem5"
)

// singleRun are the options of config.Gem5 that a single run has.
func singleRun() (names []string) {
	for _, o := range option.Of(reflect.TypeFor[config.Gem5]()) {
		if o.Name != "batch" {
			names = append(names, o.Name)
		}
	}
	return names
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
		if now := time.Now(); now.Sub(last) >= progress.Every {
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
