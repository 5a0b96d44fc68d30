package gem5

import (
	"cmp"
	"fmt"
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ordeal/sim"
	"ordeal/sim/lazyregexp"
	"ordeal/sim/sandbox"
)

// normalCause is how gem5 reports that the guest has exited.
const normalCause = "exiting with last active thread context"

// The causes of pseudo-instructions that end the simulation.
const (
	exitCause = "m5_exit instruction encountered"
	failCause = "m5_fail instruction encountered"
)

// agentCause is how the tester ends a run; after its first word another text names a failure.
const agentCause = "ordeal: done"

// detailLines is how much of gem5's output a Detail quotes.
const detailLines = 30

// outcomeOf classifies the end of a launch by how the process ended and what
// it printed. Retry means that another seed of the simulator may give a result.
func outcomeOf(end sandbox.Result, text string, timeout time.Duration) (result sim.Result, retry bool) {
	s := parseStatus(text)
	result, retry = classify(end, &s, text, timeout)
	if result.Outcome == sim.Passed {
		result.Detail = s.String()
		return result, false
	}
	result.Detail = strings.TrimSpace(result.Detail + "\n" + s.String() + "\n" + excerpt(text))
	return result, retry
}

func classify(end sandbox.Result, s *status, text string, timeout time.Duration) (result sim.Result, retry bool) {
	switch {
	case s.exited && (strings.HasPrefix(s.cause, normalCause) || s.cause == exitCause || s.cause == failCause || s.cause == agentCause):
		return sim.ExitResult(int(s.code)), false
	case s.exited && strings.HasPrefix(s.cause, agentCause[:len("ordeal: ")]):
		what, detail, _ := strings.Cut(strings.TrimPrefix(s.cause, "ordeal: "), ": ")
		return sim.Failed(sim.Crash, sim.Failure{Kind: what}, detail), false
	case s.exited:
		return crash("simulation ended: " + normalise(s.cause)), false
	case s.stuck == "deadlock":
		return sim.Failed(sim.Deadlock, sim.Failure{Kind: sim.KindDeadlock, Text: "no core completes an access"},
			fmt.Sprintf("no core completed an access to memory for %d ticks", s.idle)), false
	case s.stuck == "livelock":
		return sim.Failed(sim.Livelock, sim.Failure{Kind: sim.KindLivelock, Text: "no core completes a store"},
			fmt.Sprintf("cores completed loads, but none a store for %d ticks", s.quiet)), false
	case s.limited:
		return sim.Result{Outcome: sim.Timeout, Title: "simulation reached its limit of ticks"}, false
	case s.refused != "":
		// Its numbers and folders are what to change.
		result = infra("gem5 configuration refused: " + oneLine(s.refused))
		result.Detail = oneLine(s.refused)
		if len(result.Title) > maxTitle {
			result.Title = strings.ToValidUTF8(result.Title[:maxTitle], "")
		}
		return result, false
	}
	result, retry = classifyMessages(text)
	if result.Outcome == sim.OutcomeUnknown {
		result = classifyExit(end, timeout)
	}
	// Before the simulation has begun nothing is tested.
	if !s.started && !strings.Contains(text, "Starting simulation") && result.Outcome != sim.Infra {
		result.Outcome, result.Failure, result.Title = sim.Infra, sim.Failure{}, "gem5 configuration failed: "+result.Title
	}
	return result, retry
}

// classifyExit classifies the end of a process that printed no reason.
func classifyExit(end sandbox.Result, timeout time.Duration) sim.Result {
	switch {
	case end.TimedOut:
		return sim.TimeLimit("gem5 exceeded its time", fmt.Sprintf("gem5 was ended after %v", timeout))
	case end.Signal == syscall.SIGKILL:
		return sim.Result{
			Outcome: sim.Infra, Title: "gem5 killed from outside",
			Detail: "gem5 was ended by SIGKILL; the machine may be out of memory",
		}
	case end.Signal == syscall.SIGTERM || end.Signal == syscall.SIGINT:
		return infra("gem5 killed from outside")
	case end.Signal != 0:
		return crash(fmt.Sprintf("gem5 killed by signal %d (%v)", int(end.Signal), end.Signal))
	}
	return infra(fmt.Sprintf("gem5 ended with status %d and no result", end.Code))
}

// The messages of gem5, the host and Python that say why a launch failed.
var (
	memoryForm = lazyregexp.New(`std::bad_alloc|Could not mmap|MemoryError|Cannot allocate memory`)
	// StateMachine.py and embedError in AST.py of src/mem/slicc write these three.
	transitionForm = lazyregexp.New(`(?:(\w+)_Transitions\.cc:\d+: panic: )?Invalid transition\s+(\S+) time: \d+ addr: (\S+) event: (\S+) state: (\S+)`)
	statementForm  = lazyregexp.New(`(?:(\w+)_Controller\.cc:\d+: panic: )?Runtime Error at ([\w.-]+):(\d+): (.*?)\.?\s*(?:\n|$)`)
	assertionForm  = lazyregexp.New("(?m)([^\\s:]+):\\d+: (?:.*?::(\\w+)\\()?.*?Assertion [`'](.+)' failed")
	tracingForm    = lazyregexp.New(`Tracing is not enabled|invalid debug flag`)
	messageForm    = lazyregexp.New(`(?m)^(?:\S+:\d+: )?(panic|fatal): (.*)$`)
	conditionForm  = lazyregexp.New(`^(?:panic|fatal) condition .* occurred: `)
	pythonForm     = lazyregexp.New(`(?m)^((?:[A-Za-z_]+\.)*[A-Z][A-Za-z]*(?:Error|Exception|Exit|Interrupt)): ?(.*)$`)
	scriptForm     = lazyregexp.New(`(.*) not found\nUsage`)
)

// classifyMessages classifies a launch by its messages; the outcome is unknown
// if there are none.
func classifyMessages(text string) (result sim.Result, retry bool) {
	if memoryForm().MatchString(text) {
		return infra("out of memory"), false
	}
	if m := transitionForm().FindStringSubmatch(text); m != nil {
		return sim.Failed(sim.Crash, transitionFailure(m), ""), false
	}
	if m := statementForm().FindStringSubmatch(text); m != nil {
		return sim.Failed(sim.Crash, statementFailure(m), ""), false
	}
	if m := assertionForm().FindStringSubmatch(text); m != nil {
		f := sim.Failure{Kind: sim.KindAssertion, Function: path.Base(m[1]), Text: spaceForm().ReplaceAllString(m[3], " ")}
		if machine, ok := strings.CutSuffix(f.Function, "_Controller.cc"); ok {
			f.Row.Machine, f.Function = machine, m[2]
		}
		return sim.Failed(sim.Crash, f, ""), false
	}
	if tracingForm().MatchString(text) {
		return infra("gem5 was built without tracing, which the order of stores needs"), false
	}
	if m := messageForm().FindStringSubmatch(text); m != nil {
		return classifyMessage(m[1], conditionForm().ReplaceAllString(m[2], ""))
	}
	if strings.Contains(text, "segmentation fault") {
		return crash("gem5 has a segmentation fault"), false
	}
	if m := pythonForm().FindStringSubmatch(text); m != nil {
		return infra("gem5 configuration failed: " + normalise(m[1]+": "+m[2])), false
	}
	if m := scriptForm().FindStringSubmatch(text); m != nil {
		return infra("gem5 did not find its script: " + normalise(m[1])), false
	}
	return sim.Result{}, false
}

func classifyMessage(kind, message string) (result sim.Result, retry bool) {
	lower := strings.ToLower(message)
	switch {
	case strings.Contains(lower, "functional read failed"), strings.Contains(lower, "functional read not implemented"):
		// The write system call met a line in a transient state; what Garnet says
		// where only a message has it.
		return infra("functional read failed"), true
	case strings.Contains(lower, "deadlock"):
		// The sentences after the first repeat its numbers.
		if i := strings.IndexAny(message, ".!"); i >= 0 {
			message = message[:i]
		}
		return sim.Failed(sim.Deadlock, sim.Failure{Kind: sim.KindDeadlock, Text: normalise(message)}, ""), false
	case kind == "fatal":
		return infra("gem5 fatal: " + normalise(message)), false
	case strings.Contains(lower, "unmapped address") || strings.Contains(lower, "page table fault"):
		// The address, which may look like any number, is not in the title.
		if before, _, found := strings.Cut(message, "address"); found {
			message = before + "address"
		}
		return crash(guestFault + normalise(message)), false
	case strings.Contains(lower, "instruction executed") || strings.Contains(lower, "detected @ pc"):
		before, _, _ := strings.Cut(message, " @ PC")
		return crash(guestFault + normalise(before)), false
	}
	return crash("panic: " + normalise(message)), false
}

// assertFailure is the message of an assertion in SLICC.
const assertFailure = "assert failure"

// transitionFailure is the failure of a match of transitionForm.
func transitionFailure(m []string) sim.Failure {
	row := sim.Row{Machine: cmp.Or(m[1], objectName(m[2])), State: m[5], Event: m[4]}
	number := strings.TrimPrefix(m[2][strings.LastIndexByte(m[2], '.')+1:], objectName(m[2]))
	address, _ := strconv.ParseInt(strings.TrimPrefix(m[3], "0x"), 16, 64)
	return sim.Failure{Kind: sim.KindInvalidTransition, Row: row, At: sim.Place{Controller: row.Machine + " " + cmp.Or(number, "0"), Row: row, Address: address}}
}

// statementFailure is the failure of a match of statementForm.
func statementFailure(m []string) sim.Failure {
	f := sim.Failure{Kind: sim.KindError, Row: sim.Row{Machine: m[1]}, Text: m[4], At: sim.Place{File: m[2]}}
	f.At.Line, _ = strconv.Atoi(m[3])
	if m[4] == assertFailure {
		f.Kind, f.Text = sim.KindAssertion, ""
	}
	return f
}

func crash(title string) sim.Result { return sim.Result{Outcome: sim.Crash, Title: title} }

func infra(title string) sim.Result { return sim.Result{Outcome: sim.Infra, Title: title} }

// ofLaunch reports whether a line of gem5's is about the launch, as its date, and
// not about the simulation: the same end has the same Detail.
func ofLaunch(line string) bool {
	for _, begin := range [...]string{
		"gem5 Simulator System.", "gem5 is copyrighted software", "gem5 version ", "gem5 compiled ", "gem5 started ",
		"gem5 executing on ", "command line: ", "Memory Usage: ",
	} {
		if strings.HasPrefix(line, begin) {
			return true
		}
	}
	return false
}

// excerpt is the part of gem5's output that explains a failure: from the first
// panic or fatal on, or the last lines, without those that every run has and
// without the backtrace.
func excerpt(text string) string {
	text, _, _ = strings.Cut(text, "--- BEGIN LIBC BACKTRACE ---")
	from := messageForm().FindStringIndex(text)
	if from != nil {
		text = text[from[0]:]
	}
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.Contains(line, "warn: ") || strings.Contains(line, "info: ") || strings.HasPrefix(line, scriptPrefix+"progress") || ofLaunch(line) {
			continue
		}
		lines = append(lines, line)
	}
	excess := max(0, len(lines)-detailLines)
	if from != nil {
		return strings.Join(lines[:len(lines)-excess], "\n")
	}
	return strings.Join(lines[excess:], "\n")
}
