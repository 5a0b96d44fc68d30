package gem5

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
	"ordeal/sim"
	"ordeal/sim/gem5/agent"
	"ordeal/sim/slicc/types"
	"ordeal/sim/trace"
)

// Record runs a job, and once more with the debug flags on that trace its
// coherence protocol: at the beginning, which shows where its pages are, and
// from shortly before the first of the rounds that are wanted to shortly after
// the last. It calls record with what happens to the lines of some locations
// meanwhile. Where a round begins is taken from the stores that the cores had
// committed after each slice of the first run. The job is launched alone.
//
// The error is as that of Run; a binary without debug flags, and one whose runs
// are not repeated, give outcome Infra.
func (r *Runner) Record(ctx context.Context, job sim.Job, want trace.Want, record func(trace.Event)) (sim.Result, error) {
	if err := job.Program.X86Only(); err != nil {
		return sim.Result{}, fmt.Errorf("record on gem5: %w", err)
	}
	if unfit, err := r.unfit(ctx, job.Program.ISA); err != nil || unfit != nil {
		if unfit == nil {
			unfit = new(sim.Result)
		}
		return *unfit, err
	}
	if !r.info.Tracing {
		return infra("gem5 was built without tracing: want gem5.opt or gem5.debug"), nil
	}
	w, err := r.surround([]sim.Job{job})
	if err != nil {
		return sim.Result{}, err
	}
	if w.around != nil {
		s := w.around[0]
		want.First, want.Last = s.Lead+want.First, s.Lead+want.Last
		want.Locations, record = locationsOf(s, want.Locations), withoutBackground(s, job.Rounds, record)
	}
	job = w.jobs[0]
	first, err := r.launchRecorded(ctx, w, "first", nil, nil)
	if err != nil {
		return sim.Result{}, err
	}
	windows := windowsOf(first.slices, len(job.Program.Threads), job.Rounds, want)
	events := &recording{locations: want.Locations, record: record}
	second, err := r.launchRecorded(ctx, w, "second", windows, events)
	if err == nil && errors.Is(events.err, errNoPages) && len(windows) > 1 { // its first rounds took longer than the later ones
		windows = []window{{0, windows[len(windows)-1].to}}
		second, err = r.launchRecorded(ctx, w, "second", windows, events)
	}
	if err != nil {
		return sim.Result{}, err
	}
	for _, l := range []*recorded{first, second} { // one that was ended says so
		if l.result.Outcome == sim.Infra {
			return l.result, nil
		}
	}
	if string(first.result.Log) != string(second.result.Log) {
		return infra("the traced run has another log than the one before it"), nil
	}
	if w.around != nil {
		second.result.Log = w.around[0].Log(second.result.Log, job.Rounds-w.around[0].Lead)
	}
	return second.result, nil
}

// recording is what a launch records.
type recording struct {
	locations []gen.LocID
	record    func(trace.Event)
	err       error // why the trace cannot be read
}

// recorded is a launch of Record.
type recorded struct {
	result sim.Result
	slices []slice
}

func (r *Runner) launchRecorded(ctx context.Context, w work, name string, windows []window, events *recording) (*recorded, error) {
	job := w.jobs[0]
	job.Dir = filepath.Join(job.Dir, name)
	job.Timeout = slowdown * cmp.Or(job.Timeout, DefaultTimeout)
	if err := os.MkdirAll(job.Dir, 0o755); err != nil { // launches clean it
		return nil, err
	}
	l := launch{runner: r, work: work{[]sim.Job{job}, w.around}, flags: r.flags(recordFlags), windows: windows, recording: events}
	results, err := l.run(ctx)
	if err != nil {
		return nil, err
	}
	text, err := readOutput(job.Dir)
	if err != nil {
		return nil, err
	}
	return &recorded{results[0], parseStatus(text).slices}, nil
}

// window is a part of the simulated time, in ticks.
type window struct{ from, to int64 }

// slowdown is how many times longer than a run a recorded one may take.
const slowdown = 10

// mapping is in how many rounds an executable has stored to each of its pages,
// the time before its first round included. Where that was too few, all that is
// before the rounds that are wanted is traced.
const mapping = 6

// margin is how many rounds a window is longer at each end than what is wanted.
const margin = 2

// windowsOf are the times to trace: the beginning, and the rounds that are
// wanted, as the stores that the threads had committed give them. Without slices
// it is all the time.
func windowsOf(slices []slice, threads, rounds int, want trace.Want) []window {
	all := []window{{0, math.MaxInt64}}
	if len(slices) == 0 {
		return all
	}
	low := float64(want.First-margin) / float64(rounds)
	high := float64(want.Last+1+margin) / float64(rounds)
	wanted, mapped := window{math.MaxInt64, 0}, int64(0)
	for t := range threads {
		total := slices[len(slices)-1].stores(t)
		if total == 0 {
			return all
		}
		from, to := int64(0), int64(math.MaxInt64)
		for _, s := range slices {
			if part := float64(s.stores(t)) / float64(total); part <= low {
				from = s.tick
			} else if part >= high {
				to = s.tick
				break
			}
		}
		wanted.from, wanted.to = min(wanted.from, from), max(wanted.to, to)
		mapped = max(mapped, timeOf(slices, t, float64(mapping)/float64(rounds)*float64(total)))
	}
	if wanted.from <= mapped {
		return []window{{0, max(mapped, wanted.to)}}
	}
	return []window{{0, mapped}, wanted}
}

// timeOf is about when a thread had committed a number of stores: the stores of
// a slice are spread evenly over it.
func timeOf(slices []slice, thread int, stores float64) int64 {
	tick, before := 0.0, 0.0
	for i := range slices {
		s := &slices[i]
		if n := float64(s.stores(thread)); n >= stores && n > before {
			return int64(tick + (float64(s.tick)-tick)*(stores-before)/(n-before))
		} else {
			tick, before = float64(s.tick), n
		}
	}
	return int64(tick)
}

// stores are those that a core has committed.
func (s *slice) stores(core int) int64 {
	if core >= len(s.cores) {
		return 0
	}
	return s.cores[core].stores
}

// LineOf is the address of the line that holds a location of a program that is
// launched alone.
func (r *Runner) LineOf(p *gen.Program, l gen.LocID) int64 {
	base := int64(elf.LocationsAt)
	if r.options.agents() {
		base = agent.Base
	}
	return (base + p.Offset(l)) &^ (gen.LineBytes - 1)
}

// Protocol is the protocol as its source in the tree has it; nil where it cannot
// be read.
func (r *Runner) Protocol() *types.Protocol {
	r.mu.Lock()
	defer r.mu.Unlock()
	return inTree(r.options.Tree, r.protocolName())
}

// protocolName comes from the options, or from a binary with one protocol; r.mu is held.
func (r *Runner) protocolName() string {
	if r.options.Protocol == "" && r.info != nil && len(r.info.Protocols) == 1 {
		return r.info.Protocols[0]
	}
	return r.options.Protocol
}

// protocol is the same without the lock.
func (r *Runner) protocol() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.protocolName()
}

var errNoPages = errors.New("the trace does not show where the pages of the executable are")

// finish records what is held at the end of a trace.
func (p *protocolTrace) finish() error {
	p.flush(-1)
	if !p.mapped {
		return errNoPages
	}
	return nil
}

// traceWords are the arguments of se.py that switch debug flags on and off.
func traceWords(flags []string, windows []window) []string {
	var words []string
	for _, w := range windows {
		words = append(words, "--trace", fmt.Sprintf("%s:%d:%d", strings.Join(flags, "+"), w.from, w.to))
	}
	return words
}
