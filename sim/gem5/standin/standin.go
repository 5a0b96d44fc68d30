// Package standin is a stand-in for gem5 in tests: it obeys the same command
// line, prints what gem5 and se.py print, runs the executable natively, and
// fakes the failure that it is told to.
package standin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ordeal/gen/wire"
)

// Variable names the environment variable that says how the stand-in
// behaves: words of the form KEY=VALUE, separated by commas:
//
//	protocol=NAME   the protocols built in, joined by +; default MESI_Two_Level
//	isa=NAME        default x86
//	info=ok         --build-info works; default: it fails as in v24.0
//	startup=TIME    time before the simulation begins
//	fault=NAME      what goes wrong; see faults.go
//	at=K            in which program of a batch, from 0
//	times=N         in the first N launches only, which FILE counts
//	state=FILE
//	trace=FILE      what is written to --debug-file
//	slow=TIME       time that the simulation takes at least
const Variable = "ORDEAL_STANDIN"

// standin is one run of the stand-in.
type standin struct {
	out, errs io.Writer
	settings  map[string]string
	dir       string // -d
	trace     string // --debug-file
	args      map[string]string
}

// Main runs the stand-in with gem5's arguments, without the command's name,
// and returns the exit status.
func Main(args []string, stdout, stderr io.Writer) int {
	s := &standin{out: stdout, errs: stderr, dir: "m5out", settings: make(map[string]string), args: make(map[string]string)}
	for word := range strings.SplitSeq(os.Getenv(Variable), ",") {
		key, value, _ := strings.Cut(word, "=")
		s.settings[key] = value
	}
	buildInfo := false
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch {
		case args[0] == "-d" && len(args) > 1:
			s.dir, args = args[1], args[1:]
		case args[0] == "--build-info":
			buildInfo = true
		case strings.HasPrefix(args[0], "--debug-file="):
			s.trace = strings.TrimPrefix(args[0], "--debug-file=")
		case strings.HasPrefix(args[0], "--debug-flags="):
		default:
			fmt.Fprintf(stderr, "gem5: error: no such option: %s\n", args[0])
			return 2
		}
		args = args[1:]
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	if buildInfo {
		return s.buildInfo()
	}
	fmt.Fprint(stdout, "gem5 Simulator System.  https://www.gem5.org\n\ngem5 version 24.0.0.1\n")
	if len(args) == 0 {
		return 2
	}
	if _, err := os.Stat(args[0]); err != nil {
		fmt.Fprintf(stdout, "Script %s not found\nUsage\n=====\n", args[0])
		return 2
	}
	return s.script(args[1:])
}

func (s *standin) protocols() []string {
	if names := s.settings["protocol"]; names != "" {
		return strings.Split(names, "+")
	}
	return []string{"MESI_Two_Level"}
}

func (s *standin) isa() string {
	if isa := s.settings["isa"]; isa != "" {
		return isa
	}
	return "x86"
}

// buildInfo is gem5's --build-info.
func (s *standin) buildInfo() int {
	fmt.Fprint(s.out, "Build information:\n\n")
	if s.settings["info"] != "ok" {
		fmt.Fprint(s.errs, "AttributeError: module 'm5.defines' has no attribute 'gem5Version'\n\nAt:\n  src/python/m5/main.py(443): main\n")
		return 1
	}
	fmt.Fprintf(s.out, "gem5 version 23.0.0.1\ncompiled Nov 21 2026 03:34:47\nbuild options:\n    PROTOCOL = %s\n    USE_ARM_ISA = False\n    USE_%s_ISA = True\n\n",
		s.protocols()[0], strings.ToUpper(s.isa()))
	return 0
}

// script is se.py.
func (s *standin) script(args []string) int {
	if slices.Contains(args, "--info") {
		data, _ := json.Marshal(map[string]any{"version": "24.0.0.1", "protocols": s.protocols(), "isas": []string{s.isa()}})
		fmt.Fprintf(s.out, "ORDEAL info %s\n", data)
		return 0
	}
	for i := 0; i < len(args); i++ {
		switch {
		case strings.Contains(args[i], "="):
			key, value, _ := strings.Cut(args[i], "=")
			s.args[key] = value
		case args[i] == "--randomization":
			s.args[args[i]] = "on"
		case i+1 < len(args):
			s.args[args[i]] = args[i+1]
			i++
		}
	}
	if want := s.args["--protocol"]; want != "" && !slices.Contains(s.protocols(), want) {
		fmt.Fprintf(s.out, "ORDEAL refused the binary has protocol %s: want %s\n", strings.Join(s.protocols(), ", "), want)
		return 2
	}
	if _, err := os.Stat(filepath.Join(s.args["--tree"], "configs", "ruby")); err != nil {
		fmt.Fprintf(s.out, "ORDEAL refused tree %s: no folder configs/ruby\n", s.args["--tree"])
		return 2
	}
	if _, err := os.Stat(s.args["--binary"]); err != nil {
		fmt.Fprintf(s.errs, "src/base/loader/image_file_data.cc:105: fatal: fatal condition fd < 0 occurred: Failed to open file %s.\n", s.args["--binary"])
		return 1
	}
	s.sleep("startup")
	return s.simulate()
}

func (s *standin) sleep(key string) {
	if d, err := time.ParseDuration(s.settings[key]); err == nil {
		time.Sleep(d)
	}
}

// simulate runs the executable.
func (s *standin) simulate() int {
	fmt.Fprint(s.errs, "src/sim/simulate.cc:199: info: Entering event queue @ 0.  Starting simulation...\n")
	fmt.Fprint(s.out, "ORDEAL start\n")
	if s.args["--progress-ticks"] != "" {
		fmt.Fprintf(s.out, "ORDEAL progress %s 12345\n", s.args["--progress-ticks"])
	}
	fault := s.fault()
	if fault == "hang" || fault == "stubborn" {
		if fault == "stubborn" {
			signal.Ignore(syscall.SIGTERM)
		}
		time.Sleep(time.Hour)
	}
	if fault == "hoard" || fault == "flood" {
		s.devour(fault)
	}
	if err := s.copyTrace(); err != nil {
		fmt.Fprintln(s.errs, err)
		return 1
	}
	log, code, err := execute(s.args["--binary"])
	if err != nil {
		fmt.Fprintln(s.errs, err)
		return 1
	}
	s.sleep("slow")
	if fault != "" {
		log = s.damage(fault, log)
	}
	if err := os.WriteFile(filepath.Join(s.dir, s.args["--output"]), log, 0o644); err != nil {
		fmt.Fprintln(s.errs, err)
		return 1
	}
	if end, ok := faults[fault]; ok {
		return s.die(end)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "stats.txt"), []byte(statistics), 0o644); err != nil {
		fmt.Fprintln(s.errs, err)
		return 1
	}
	fmt.Fprintf(s.out, "ORDEAL exit %d 239030000 54321 exiting with last active thread context\n", code)
	return 0
}

// statistics is the form of gem5's stats.txt, in small.
const statistics = `
---------- Begin Simulation Statistics ----------
simTicks                                    239030000                       # Number of ticks simulated
system.ruby.Directory_Controller.I.GETX            17      0.00%      0.00% (Unspecified)
system.ruby.L1Cache_Controller.Load      |        1181     22.97%     22.97% |        2126     41.35%     64.33% (Unspecified)
system.ruby.L1Cache_Controller.Load::total         3307                       (Unspecified)
system.ruby.L1Cache_Controller.I.Load    |          62     26.92%     26.92% |          56     36.10%     63.02% (Unspecified)
system.ruby.L1Cache_Controller.I.Load::total          118                       (Unspecified)

---------- End Simulation Statistics   ----------
`

func (s *standin) copyTrace() error {
	if s.trace == "" || s.settings["trace"] == "" {
		return nil
	}
	data, err := os.ReadFile(s.settings["trace"])
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(s.dir, s.trace), os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// execute runs the guest on this machine, in the process group of the caller.
// The patience of its barriers is made for a simulator, whose cores advance
// together; here a thread may be missed that has no core, so it is tried again.
func execute(binary string) (log []byte, code int, err error) {
	const tries = 100
	for range tries {
		cmd := exec.Command(binary)
		cmd.Env = []string{}
		log, err = cmd.Output()
		exit := (*exec.ExitError)(nil)
		if !errors.As(err, &exit) || !exit.Exited() {
			return log, 0, err
		}
		switch code = exit.ExitCode(); code {
		case wire.ExitStartBarrier, wire.ExitRoundBarrier, wire.ExitEndBarrier:
		default:
			return log, code, nil
		}
	}
	return log, code, nil
}
