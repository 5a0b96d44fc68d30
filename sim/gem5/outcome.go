package gem5

import (
	"fmt"
	"strings"
	"syscall"
	"time"

	"ordeal/sim"
	"ordeal/sim/sandbox"
)

// normalCause is how gem5 says that the guest has exited.
const normalCause = "exiting with last active thread context"

// detailLines is how much of gem5's output a Detail quotes.
const detailLines = 30

// outcomeOf says what the end of a launch means, from how the process ended
// and what was printed. Retry says that it is no result, but another seed of
// the simulator may give one.
func outcomeOf(end sandbox.Result, text string, timeout time.Duration) (result sim.Result, retry bool) {
	s := parseSaid(text)
	result, retry = judgeEnd(end, &s, text, timeout)
	if result.Outcome == sim.Passed {
		result.Detail = s.String()
		return result, false
	}
	result.Detail = strings.TrimSpace(result.Detail + "\n" + s.String() + "\n" + excerpt(text))
	return result, retry
}

func judgeEnd(end sandbox.Result, s *said, text string, timeout time.Duration) (result sim.Result, retry bool) {
	switch {
	case s.ended && strings.HasPrefix(s.cause, normalCause):
		return sim.ExitResult(s.code), false
	case s.ended:
		return sim.Result{Outcome: sim.Crash, Title: "simulation ended: " + normalise(s.cause)}, false
	case s.limited:
		return sim.Result{Outcome: sim.Timeout, Title: "simulation reached its limit of ticks"}, false
	case s.refused != "":
		return infra("gem5 configuration refused: " + normalise(s.refused)), false
	}
	if result, retry, found := judgeText(text); found {
		return beforeStart(result, s, text), retry
	}
	return beforeStart(judgeSilence(end, timeout), s, text), false
}

// beforeStart turns findings into infrastructure trouble while the simulation
// has not begun: then nothing was tested.
func beforeStart(result sim.Result, s *said, text string) sim.Result {
	started := s.started || strings.Contains(text, "Starting simulation")
	if !started && result.Outcome != sim.Infra {
		result.Outcome, result.Title = sim.Infra, "gem5 configuration failed: "+result.Title
	}
	return result
}

// judgeSilence judges the end of a process that did not say why.
func judgeSilence(end sandbox.Result, timeout time.Duration) sim.Result {
	switch {
	case end.TimedOut:
		result := sim.Result{Outcome: sim.Timeout, Title: "gem5 exceeded its time"}
		result.Detail = fmt.Sprintf("gem5 was ended after %v", timeout)
		return result
	case end.Signal == syscall.SIGKILL:
		result := infra("gem5 killed from outside")
		result.Detail = "gem5 was ended by SIGKILL; the machine may be out of memory"
		return result
	case end.Signal == syscall.SIGTERM || end.Signal == syscall.SIGINT:
		return infra("gem5 killed from outside")
	case end.Signal != 0:
		return crash(fmt.Sprintf("gem5 killed by signal %d (%v)", int(end.Signal), end.Signal))
	}
	return infra(fmt.Sprintf("gem5 ended with status %d and no result", end.Code))
}

// judgeText finds what gem5 complained of.
func judgeText(text string) (result sim.Result, retry, found bool) {
	if outOfMemory(text) {
		return infra("out of memory"), false, true
	}
	if title, ok := transitionTitle(text); ok {
		return crash(title), false, true
	}
	if title, ok := assertionTitle(text); ok {
		return crash(title), false, true
	}
	if strings.Contains(text, "Tracing is not enabled") || strings.Contains(text, "invalid debug flag") {
		return infra("gem5 was built without tracing, which the order of stores needs"), false, true
	}
	kind, message := complaint(text)
	lower := strings.ToLower(message)
	switch {
	case kind == "":
	case strings.Contains(lower, "functional read failed"):
		// The write system call met a line in a transient state.
		return infra("functional read failed"), true, true
	case strings.Contains(lower, "deadlock"):
		return sim.Result{Outcome: sim.Deadlock, Title: normalise(firstSentence(message))}, false, true
	case kind == "panic" && (strings.Contains(lower, "unmapped address") || strings.Contains(lower, "page table fault")):
		// The address, which may look like any number, is not in the name.
		return crash("guest fault: " + normalise(beforeAddress(message))), false, true
	case kind == "panic":
		return crash("panic: " + normalise(message)), false, true
	default:
		return infra("gem5 fatal: " + normalise(message)), false, true
	}
	if strings.Contains(text, "segmentation fault") {
		return crash("gem5 has a segmentation fault"), false, true
	}
	if m := pythonForm.FindStringSubmatch(text); m != nil {
		return infra("gem5 configuration failed: " + normalise(m[1]+": "+m[2])), false, true
	}
	if name, rest, ok := strings.Cut(text, " not found\nUsage"); ok && rest != "" {
		return infra("gem5 did not find its script: " + normalise(name[strings.LastIndexByte(name, '\n')+1:])), false, true
	}
	return sim.Result{}, false, false
}

// outOfMemory knows the ways in which gem5 says that the host has too little
// memory.
func outOfMemory(text string) bool {
	return strings.Contains(text, "std::bad_alloc") || strings.Contains(text, "Could not mmap") ||
		strings.Contains(text, "MemoryError") || strings.Contains(text, "Cannot allocate memory")
}

// firstSentence cuts a message of many sentences, which repeats the numbers
// of the first.
func firstSentence(message string) string {
	if i := strings.IndexAny(message, ".!"); i >= 0 {
		return message[:i]
	}
	return message
}

func crash(title string) sim.Result { return sim.Result{Outcome: sim.Crash, Title: title} }

func infra(title string) sim.Result { return sim.Result{Outcome: sim.Infra, Title: title} }

// excerpt is the part of gem5's output that people want to see: from the
// first complaint on, or the last lines; without those that every run has and
// without the backtrace.
func excerpt(text string) string {
	text, _, _ = strings.Cut(text, "--- BEGIN LIBC BACKTRACE ---")
	from, cut := logForm.FindStringIndex(text), false
	if from != nil {
		text, cut = text[from[0]:], true
	}
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.Contains(line, "warn: ") || strings.Contains(line, "info: ") || strings.HasPrefix(line, ownLine+"progress") {
			continue
		}
		lines = append(lines, line)
	}
	if cut {
		return strings.Join(lines[:min(len(lines), detailLines)], "\n")
	}
	return strings.Join(lines[max(0, len(lines)-detailLines):], "\n")
}

// beforeAddress cuts a message after the word address.
func beforeAddress(message string) string {
	const word = "address"
	if i := strings.Index(message, word); i >= 0 {
		return message[:i+len(word)]
	}
	return message
}
