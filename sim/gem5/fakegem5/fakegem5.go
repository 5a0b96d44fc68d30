// Package fakegem5 stands in for gem5 in tests: it accepts the same command
// line, prints the same lines as gem5 and se.py, runs the executable natively,
// and fails as its settings say.
package fakegem5

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ordeal/gen/wire"
)

// Variable names the environment variable with the settings: words of the
// form KEY=VALUE, separated by commas:
//
//	protocol=NAME   the protocols built in, joined by +; default MESI_Two_Level
//	isa=NAME        default x86
//	info=ok         --build-info works and the script fails; default: the
//	                other way round, as in v24.0
//	tracing=on      it prints debug lines
//	agent=on        the tester is built in
//	startup=TIME    time before the simulation begins
//	fault=NAME      the failure; see faults.go
//	at=K            in which program of a batch, from 0
//	times=N         in the first N launches only, which FILE counts
//	state=FILE
//	trace=FILE      what is written to --debug-file
//	slow=TIME       time that the simulation takes at least
const Variable = "ORDEAL_FAKE_GEM5"

type run struct {
	out, errs io.Writer
	settings  map[string]string
	dir       string            // -d
	trace     string            // --debug-file
	flags     string            // --debug-flags
	args      map[string]string // of se.py
}

// Main runs the fake with gem5's arguments, without the command's name, and
// returns the exit status.
func Main(args []string, stdout, stderr io.Writer) int {
	r := &run{out: stdout, errs: stderr, settings: make(map[string]string), args: make(map[string]string)}
	for word := range strings.SplitSeq(os.Getenv(Variable), ",") {
		key, value, _ := strings.Cut(word, "=")
		r.settings[key] = value
	}
	fs := flag.NewFlagSet("gem5", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&r.dir, "d", "m5out", "")
	fs.StringVar(&r.trace, "debug-file", "", "")
	fs.StringVar(&r.flags, "debug-flags", "", "")
	fs.String("json-config", "config.json", "")
	fs.String("dot-config", "config.dot", "")
	buildInfo := fs.Bool("build-info", false, "")
	if fs.Parse(args) != nil {
		return 2
	}
	code, err := 0, os.MkdirAll(r.dir, 0o755)
	switch {
	case err != nil:
	case *buildInfo:
		code = r.buildInfo()
	default:
		code, err = r.start(fs.Args())
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return code
}

func (r *run) protocols() []string {
	return strings.Split(cmp.Or(r.settings["protocol"], "MESI_Two_Level"), "+")
}

func (r *run) isa() string { return cmp.Or(r.settings["isa"], "x86") }

func (r *run) buildInfo() int {
	fmt.Fprint(r.out, "Build information:\n\n")
	if r.settings["info"] != "ok" {
		fmt.Fprint(r.errs, "AttributeError: module 'm5.defines' has no attribute 'gem5Version'\n\nAt:\n  src/python/m5/main.py(443): main\n")
		return 1
	}
	fmt.Fprintf(r.out, "gem5 version 23.0.0.1\ncompiled Nov 21 2026 03:34:47\nbuild options:\n    PROTOCOL = %s\n    USE_ARM_ISA = False\n    USE_%s_ISA = True\n\n",
		r.protocols()[0], strings.ToUpper(r.isa()))
	return 0
}

func (r *run) start(args []string) (int, error) {
	fmt.Fprint(r.out, "gem5 Simulator System.  https://www.gem5.org\n\ngem5 version 24.0.0.1\n")
	if len(args) == 0 {
		return 2, nil
	}
	if _, err := os.Stat(args[0]); err != nil {
		fmt.Fprintf(r.out, "Script %s not found\nUsage\n=====\n", args[0])
		return 2, nil
	}
	return r.script(args[1:])
}

func (r *run) script(args []string) (int, error) {
	if slices.Contains(args, "--info") {
		if r.settings["info"] == "ok" {
			fmt.Fprint(r.errs, "ModuleNotFoundError: No module named 'm5'\n")
			return 1, nil
		}
		data, err := json.Marshal(map[string]any{
			"version": "24.0.0.1", "protocols": r.protocols(), "isas": []string{r.isa()}, "tracing": r.settings["tracing"] == "on",
			"agent": r.settings["agent"] == "on",
		})
		fmt.Fprintf(r.out, "ORDEAL info %s\n", data)
		return 0, err
	}
	for i := 0; i < len(args); i++ {
		key, value, found := strings.Cut(args[i], "=")
		if !found && key != "--randomization" && key != "--evictions" && key != "--flush" && i+1 < len(args) {
			i++
			value = args[i]
		}
		r.args[key] = value
	}
	if want := r.args["--protocol"]; want != "" && !slices.Contains(r.protocols(), want) {
		fmt.Fprintf(r.out, "ORDEAL refused the binary has protocol %s: want %s\n", strings.Join(r.protocols(), ", "), want)
		return 2, nil
	}
	if _, err := os.Stat(filepath.Join(r.args["--tree"], "configs", "ruby")); err != nil {
		fmt.Fprintf(r.out, "ORDEAL refused tree %s: no folder configs/ruby\n", r.args["--tree"])
		return 2, nil
	}
	if _, err := os.Stat(r.args["--binary"]); err != nil && r.args["--image"] == "" {
		fmt.Fprintf(r.errs, "src/base/loader/image_file_data.cc:105: fatal: fatal condition fd < 0 occurred: Failed to open file %s.\n", r.args["--binary"])
		return 1, nil
	}
	r.sleep("startup")
	return r.simulate()
}

func (r *run) sleep(key string) {
	if d, err := time.ParseDuration(r.settings[key]); err == nil {
		time.Sleep(d)
	}
}

func (r *run) simulate() (int, error) {
	fmt.Fprint(r.errs, "src/sim/simulate.cc:199: info: Entering event queue @ 0.  Starting simulation...\n")
	fmt.Fprint(r.out, "ORDEAL start\n")
	fmt.Fprint(r.out, "ORDEAL bounds 114688000 8000000000\nORDEAL progress 10000000 12000,4000,1000 345,100,20\n")
	fault := r.fault()
	switch fault {
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Hour)
	case "hang":
		time.Sleep(time.Hour)
	case "hoard", "flood":
		r.consume(fault)
	}
	if err := r.copyTrace(); err != nil {
		return 1, err
	}
	if strings.Contains(r.flags, "PseudoInst") || r.args["--items"] != "" {
		return r.simulatePseudo(fault)
	}
	if r.args["--image"] != "" {
		r.sleep("slow")
		return r.simulateAgents(fault)
	}
	log, code, err := execute(r.args["--isa"], r.args["--binary"])
	if err != nil {
		return 1, err
	}
	r.sleep("slow")
	if fault != "" {
		log = r.damage(fault, log)
	}
	if err := os.WriteFile(filepath.Join(r.dir, r.args["--output"]), log, 0o644); err != nil {
		return 1, err
	}
	if end, ok := faults[fault]; ok {
		return r.die(end)
	}
	fmt.Fprintf(r.out, "ORDEAL exit %d 239030000 54321 exiting with last active thread context\n", code)
	return 0, os.WriteFile(filepath.Join(r.dir, "stats.txt"), []byte(statistics), 0o644)
}

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

func (r *run) copyTrace() error {
	if r.trace == "" || r.settings["trace"] == "" {
		return nil
	}
	data, err := os.ReadFile(r.settings["trace"])
	if err != nil {
		return err
	}
	// A pipe: it must not be truncated.
	f, err := os.OpenFile(filepath.Join(r.dir, r.trace), os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// simulatePseudo runs a guest that reports by pseudo-instructions and prints
// what gem5 does under the debug flag PseudoInst. A failure comes after at
// lines.
func (r *run) simulatePseudo(fault string) (int, error) {
	path := filepath.Join(r.dir, r.trace)
	if items := r.args["--items"]; items != "" {
		path = items
	}
	trace, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return 1, err
	}
	defer trace.Close()
	end, fails := faults[fault]
	at, _ := strconv.Atoi(r.settings["at"]) // 0
	tick, sums := 1000, 0
	cause, code, err := emulate(r.dir, r.args["--binary"], func(a [6]uint64) {
		tick, sums = tick+500, sums+1
		if fails && sums > at {
			return
		}
		fmt.Fprintf(trace, "%7d: global: pseudo_inst::pseudoInst(35)\n%7d: global: pseudo_inst::m5sum(%s, %s, %s, %s, %s, %s)\n",
			tick, tick, hex(a[0]), hex(a[1]), hex(a[2]), hex(a[3]), hex(a[4]), hex(a[5]))
	}, func(item uint64) { fmt.Fprintf(trace, "item %d\n", uint32(item)) })
	if err != nil {
		return 1, err
	}
	if fails {
		return r.die(end)
	}
	fmt.Fprintf(r.out, "ORDEAL exit %d 239030000 54321 %s\n", code, cause)
	return 0, os.WriteFile(filepath.Join(r.dir, "stats.txt"), []byte(statistics), 0o644)
}

// hex formats as C++ streams do with showbase, which zero does not get.
func hex(v uint64) string {
	if v == 0 {
		return "0"
	}
	return fmt.Sprintf("%#x", v)
}

// execute runs the guest on this machine, in the process group of the caller.
// The limits of its barriers are made for a simulator, whose cores advance
// together; here a thread may lack a core, so that a failure is tried again.
func execute(isa, binary string) (log []byte, code int, err error) {
	const tries = 100
	words := []string{binary}
	if isa != "" {
		words = []string{map[string]string{"arm": "qemu-aarch64", "riscv": "qemu-riscv64"}[isa], binary}
	}
	for range tries {
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Env = []string{}
		log, err = cmd.Output()
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok || !exit.Exited() {
			return log, 0, err
		}
		code = exit.ExitCode()
		if !slices.Contains([]int{wire.ExitStartBarrier, wire.ExitRoundBarrier, wire.ExitEndBarrier}, code) {
			break
		}
	}
	return log, code, nil
}
