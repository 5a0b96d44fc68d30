package gem5

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ordeal/gen/emit/elf"
	"ordeal/sim"
)

// diagnoseFlags are the debug flags of a launch that is repeated to say where its
// cores are stuck, beside those of CPUs.
var diagnoseFlags = []string{"ProtocolTrace"}

// diagnosisDir is where the repeated launch works, in the directory of the job.
const diagnosisDir = "diagnosis"

// diagnose repeats a launch that ended without progress, with debug flags on in
// the slices in which each core committed its last instructions, and says for
// each core where it is in its program, and which lines its requests wait for in
// which states. The text is empty where nothing is known: of a binary without
// debug flags, or a launch without slices.
func (l *launch) diagnose(ctx context.Context) (string, error) {
	text, err := readOutput(l.dir)
	if err != nil {
		return "", err
	}
	before := parseStatus(text)
	l.runner.mu.Lock()
	tracing := l.runner.info != nil && l.runner.info.Tracing
	l.runner.mu.Unlock()
	if !tracing || len(before.slices) == 0 {
		return "", nil
	}
	again := launch{runner: l.runner, work: work{around: l.around}, try: l.try, flags: l.runner.flags(diagnoseFlags), windows: lastProgress(before.slices)}
	root := filepath.Join(l.dir, diagnosisDir)
	for k, job := range l.jobs {
		job.Dir = filepath.Join(root, strconv.Itoa(k))
		again.jobs = append(again.jobs, job)
		if err := os.MkdirAll(job.Dir, 0o755); err != nil {
			return "", err
		}
	}
	again.stuck = newStuck(before.slices)
	if _, err := again.run(ctx); err != nil {
		return "", err
	}
	return again.stuck.String(), os.RemoveAll(root)
}

// lastProgress are the slices in which cores committed their last instructions,
// and the last one of the run.
func lastProgress(list []slice) []window {
	windows := map[window]bool{}
	add := func(i int) {
		w := window{0, list[i].tick}
		if i > 0 {
			w.from = list[i-1].tick
		}
		windows[w] = true
	}
	for core := range list[len(list)-1].cores {
		add(lastOf(list, core))
	}
	return slices.SortedFunc(maps.Keys(windows), func(a, b window) int { return cmp.Compare(a.from, b.from) })
}

// lastOf is the slice in which a core committed its last instruction.
func lastOf(list []slice, core int) int {
	last := len(list) - 1
	for last > 0 && list[last].cores[core].instructions == list[last-1].cores[core].instructions {
		last--
	}
	return last
}

// stuck is where the cores of a launch are.
type stuck struct {
	slices  []slice
	image   *elf.Image
	counter map[int]int64           // of each core, that of the last instruction
	rounds  map[int]int64           // of each core, those that are complete; 0: not known
	waits   map[int]map[int64]int64 // of each sequencer, the lines of its requests and the ticks of their beginnings
	states  map[int64]map[string]string
}

func newStuck(list []slice) *stuck {
	return &stuck{
		slices: list, counter: map[int]int64{}, rounds: map[int]int64{},
		waits: map[int]map[int64]int64{}, states: map[int64]map[string]string{},
	}
}

// line takes a line of the trace.
func (s *stuck) line(text []byte) {
	text = bytes.TrimRight(text, "\n")
	if m := objectLine().FindSubmatch(text); m != nil {
		if core := coreName().FindSubmatch(m[2]); core != nil {
			s.instruction(int(number(core[1])), m[3])
		}
		return
	}
	m := transitionLine().FindSubmatch(text)
	if m == nil || bytes.Contains(m[9], []byte("Stall")) {
		return
	}
	at, version, line := number(m[1]), int(number(m[2])), hexadecimal(m[8])
	if string(m[3]) != "Seq" {
		if s.states[line] == nil {
			s.states[line] = map[string]string{}
		}
		s.states[line][fmt.Sprintf("%s %d", m[3], version)] = string(m[6])
		return
	}
	switch string(m[4]) {
	case "Begin":
		if s.waits[version] == nil {
			s.waits[version] = map[int64]int64{}
		}
		s.waits[version][line] = at
	case "Done":
		delete(s.waits[version], line)
	}
}

func (s *stuck) instruction(core int, text []byte) {
	m := counterForm().FindSubmatch(text)
	if m == nil {
		return
	}
	s.counter[core] = hexadecimal(m[1])
	if s.image == nil {
		return
	}
	if place, ok := s.image.PlaceOf(s.counter[core]); ok && place.Op == elf.EndOfRound && place.Address == s.counter[core] {
		if d := resultForm().FindSubmatch(text); d != nil {
			s.rounds[core] = hexadecimal(d[1])
		}
	}
}

// String has a line for each core, and one for each line of memory that a core
// waits for.
func (s *stuck) String() string {
	var out strings.Builder
	last := len(s.slices) - 1
	for core := range s.slices[last].cores {
		at := lastOf(s.slices, core)
		fmt.Fprintf(&out, "core %d: %s", core, s.place(core))
		if at < last {
			fmt.Fprintf(&out, ", no instruction since about tick %d", s.slices[at].tick)
		} else {
			out.WriteString(", commits instructions")
		}
		out.WriteString("\n")
		for _, line := range slices.Sorted(maps.Keys(s.waits[core])) {
			fmt.Fprintf(&out, "        waits since tick %d for line %#x", s.waits[core][line], line)
			for _, place := range slices.Sorted(maps.Keys(s.states[line])) {
				fmt.Fprintf(&out, ", %s in %s", place, s.states[line][place])
			}
			out.WriteString("\n")
		}
	}
	return strings.TrimRight(out.String(), "\n")
}

// place says where a core is in the executable.
func (s *stuck) place(core int) string {
	counter, ok := s.counter[core]
	if s.image == nil {
		return "runs a thread of the tester"
	}
	if !ok {
		return "has committed nothing that was traced"
	}
	place, ok := s.image.PlaceOf(counter)
	if !ok {
		return fmt.Sprintf("at %#x, outside of the program", counter)
	}
	text := fmt.Sprintf("at %#x", counter)
	switch {
	case place.Op >= 0:
		text += fmt.Sprintf(", thread %d, operation %d", place.Thread, place.Op)
	case place.Op == elf.EndOfRound:
		text += fmt.Sprintf(", thread %d, after its operations", place.Thread)
	default:
		text += ", in " + place.Symbol
	}
	if rounds, ok := s.rounds[core]; ok && place.Op != elf.Outside {
		text += fmt.Sprintf(", round %d", rounds)
	}
	if len(s.image.Bases) > 1 && place.Op != elf.Outside {
		text += fmt.Sprintf(", program %d", place.Program+1)
	}
	return text
}

// explain adds to the result of a launch without progress where its cores are.
func (l *launch) explain(ctx context.Context, result *sim.Result) error {
	if !result.Outcome.Stuck() || l.stuck != nil || l.recording != nil {
		return nil
	}
	text, err := l.diagnose(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		text = "where the cores are is not known: " + err.Error()
	}
	if text != "" {
		result.Detail = text + "\n" + result.Detail
	}
	return nil
}
