package run

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ordeal/campaigns/internal/must"
	"ordeal/check"
	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/gen/emit/elf"
	"ordeal/parse"
)

// emulators are those of qemu-user, with the model that a run has to keep.
var emulators = []struct {
	isa   gen.ISA
	qemu  []string
	model model.Model
}{
	{gen.AArch64, []string{"qemu-aarch64", "qemu-aarch64-static"}, model.Armv8},
	{gen.RISCV64, []string{"qemu-riscv64", "qemu-riscv64-static"}, model.RVWMO},
}

// emulate runs an executable and returns its log.
func emulate(t *testing.T, names []string, executable []byte) []byte {
	t.Helper()
	qemu := ""
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			qemu = path
		}
	}
	if qemu == "" {
		t.Skipf("none of %s is installed: programs of other instruction sets are not run", strings.Join(names, ", "))
	}
	path := filepath.Join(t.TempDir(), "a.elf")
	must.Succeed(t, os.WriteFile(path, executable, 0o755))
	// Only an emulator that hangs takes so long, however busy the machine is.
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, qemu, path)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", qemu, err, errs.String())
	}
	return out.Bytes()
}

// TestEmulated runs random programs with everything that their instruction set has
// under an emulator: the logs are whole, the model of the instruction set allows
// what they show, and most store-conditionals take place.
func TestEmulated(t *testing.T) {
	for _, row := range emulators {
		t.Run(row.isa.String(), func(t *testing.T) {
			conditionals, failed, retried, again := 0, 0, 0, 0
			for seed := range uint64(3) {
				o := gen.Defaults()
				o.ISA, o.Threads, o.Ops, o.Locations = row.isa, 1+int(seed), 60, 6
				o.Annotations, o.PartialFences, o.Dependencies = 0.5, 0.7, 0.5
				o.Mix = gen.Mix{Load: 30, Store: 30, Exchange: 8, Add: 8, Fence: 8, Pair: 12}
				o.Retries = 2
				p, err := gen.Random(rand.New(rand.NewPCG(seed, 0)), o)
				must.Succeed(t, err)
				const rounds = 20
				executable, err := elf.Emit(p, elf.Options{Rounds: rounds, Yield: true, Sync: elf.SyncRound, Settle: -1, Spin: 1 << 26, Jitter: 7 * int(seed)})
				must.Succeed(t, err)
				h, err := parse.Native(p, rounds, emulate(t, row.qemu, executable))
				must.Succeed(t, err)
				v, err := check.Check(t.Context(), h, row.model, check.Options{})
				if err != nil || v.Answer != check.Allowed {
					t.Errorf("seed %d: %s %s %v", seed, v.Answer, v.Reason, err)
				}
				origins := parse.NewOrigins(p, h)
				for id := range h.Ops {
					from := origins.Of(parse.OpID(id))
					ops := p.Threads[from.Thread]
					switch op := ops[from.Index]; {
					case op.Kind == gen.LoadLinked && op.Attr&gen.Retry != 0:
						retried++
						if h.Ops[id].Kind == parse.Read {
							if again++; h.Ops[id-1].Kind != parse.Fence {
								t.Errorf("seed %d: operation %d: an attempt behind one that did not fail", seed, id)
							}
						}
					case op.Kind == gen.StoreConditional && op.Attr&gen.Retry == 0:
						conditionals++
						if h.Ops[id].Kind == parse.Fence {
							failed++
							if last := from.Index+1 == len(ops) || ops[from.Index+1].Attr&gen.Retry == 0; !last && h.Ops[id+1].Kind != parse.Read {
								t.Errorf("seed %d: operation %d failed and was not tried again", seed, id)
							}
						}
					}
				}
			}
			t.Logf("%d of %d store-conditionals failed; %d of %d further attempts were made", failed, conditionals, again, retried)
			if conditionals == 0 || retried == 0 || failed > conditionals/2 {
				t.Errorf("%d of %d store-conditionals failed", failed, conditionals)
			}
		})
	}
}
