package fakegem5

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"ordeal/gen/wire"
)

// end is a failure: the text on standard error, and the signal that follows,
// or 0 for status 1.
type end struct {
	text   string
	signal syscall.Signal
}

// faults are the failures that end a launch. Besides, hang and stubborn never
// end (the latter ignores SIGTERM), hoard allocates memory and flood writes
// files without end, and truncated and corrupt end well but damage the log of a
// program.
var faults = map[string]end{
	"transition": {
		"build/X86/mem/ruby/protocol/L1Cache_Transitions.cc:1846: panic: Invalid transition\n" +
			"system.ruby.l1_cntrl3 time: 48231 addr: 0x3040 event: Inv state: IS_I\n\nMemory Usage: 682560 KBytes\n", syscall.SIGABRT,
	},
	"assertion": {"gem5: build/X86/mem/ruby/protocol/L1Cache_Controller.cc:1203: void gem5::ruby::L1Cache_Controller::unset_tbe(TBE*&): Assertion `m_tbe_ptr != NULL' failed.\n", syscall.SIGABRT},
	"deadlock":  {"src/mem/ruby/system/Sequencer.cc:270: panic: Possible Deadlock detected. Aborting!\n version: 2\n", syscall.SIGABRT},
	"functional-read": {
		"src/mem/ruby/system/RubyPort.cc:431: fatal: Ruby functional read failed for address 0xc580\nMemory Usage: 723968 KBytes\n", 0,
	},
	"memory":  {"terminate called after throwing an instance of 'std::bad_alloc'\n", syscall.SIGABRT},
	"fatal":   {"src/mem/cache.cc:9: fatal: cache size 100 is no power of two\n", 0},
	"outside": {"", syscall.SIGKILL},
}

// consume takes or writes a megabyte every few milliseconds, without end.
func (r *run) consume(fault string) {
	var hoard [][]byte
	for n := 0; ; n++ {
		part := bytes.Repeat([]byte{1}, 1<<20)
		if fault == "hoard" {
			hoard = append(hoard, part) //lint:ignore SA4010 it occupies memory
		} else if err := os.WriteFile(filepath.Join(r.dir, strconv.Itoa(n)), part, 0o644); err != nil {
			fmt.Fprintln(r.errs, err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// fault is the failure of this launch; empty: none.
func (r *run) fault() string {
	times, err := strconv.Atoi(r.settings["times"])
	if err != nil {
		return r.settings["fault"]
	}
	data, _ := os.ReadFile(r.settings["state"]) // none in the first launch
	_ = os.WriteFile(r.settings["state"], append(data, '.'), 0o644)
	if len(data) >= times {
		return ""
	}
	return r.settings["fault"]
}

// damage returns what the failure leaves of the log of a complete run: it is
// whole up to program at.
func (r *run) damage(fault string, log []byte) []byte {
	at, _ := strconv.Atoi(r.settings["at"]) // 0
	programs, from := 0, 0
	for from < len(log) && programs < at {
		f, err := wire.Next(log[from:])
		if err != nil {
			panic(err) // the log of a complete run
		}
		from += f.Size()
		if f.Kind == wire.Final {
			programs++
		}
	}
	if from == len(log) {
		return log // fewer programs than that
	}
	f, err := wire.Next(log[from:])
	if err != nil {
		panic(err)
	}
	if fault == "corrupt" {
		if len(f.Payload) > 0 {
			binary.LittleEndian.PutUint64(f.Payload, 0xbad)
			wire.Seal(log[from : from+f.Size()])
		}
		return log
	}
	return log[:from+f.Size()+20] // torn in the second frame
}

// die ends the process as gem5 ends.
func (r *run) die(e end) (int, error) {
	fmt.Fprint(r.errs, e.text)
	if e.signal == 0 {
		return 1, nil
	}
	// A Go program cannot die of SIGABRT by itself.
	return 1, syscall.Exec("/bin/sh", []string{"sh", "-c", fmt.Sprintf("kill -%d $$", int(e.signal))}, os.Environ())
}
