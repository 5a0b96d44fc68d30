package command

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

var freed [][]byte

// TestSpareUntouched demands that the spare memory takes none of the machine's,
// though a collection has freed memory before it: in a process of its own, whose
// heap nothing else has grown.
func TestSpareUntouched(t *testing.T) {
	const child = "ORDEAL_TEST_SPARE"
	if os.Getenv(child) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSpareUntouched$")
		cmd.Env = append(os.Environ(), child+"=1", "GOGC=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	for range 8 {
		freed = append(freed, make([]byte, 1<<20))
	}
	freed = nil
	runtime.GC()
	before := peak(t)
	CollectSeldom()
	if grown := peak(t) - before; grown > spareHeap/4 {
		t.Errorf("%d bytes of the machine's memory taken, want at most %d", grown, spareHeap/4)
	}
}

// peak is the most memory that the process had, in bytes.
func peak(t *testing.T) int64 {
	t.Helper()
	var use unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &use); err != nil {
		t.Fatal(err)
	}
	return use.Maxrss << 10
}
