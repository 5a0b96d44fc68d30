package run

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ordeal/campaigns/internal/must"
)

// A socket never has a reader.
func TestOutputSocket(t *testing.T) {
	t.Chdir(t.TempDir()) // whose path may be too long for the name of a socket
	l, err := net.Listen("unix", "socket")
	must.Succeed(t, err)
	defer l.Close() // nothing connects
	if err := WriteOutput("socket", []byte("text"), Plain); !errors.Is(err, unix.ENXIO) {
		t.Errorf("%v, want %v", err, unix.ENXIO)
	}
}

// A reader may come late.
func TestOutputLateReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	must.Succeed(t, unix.Mkfifo(path, 0o600))
	ended := make(chan error, 1)
	go func() { ended <- WriteOutput(path, []byte("text\n"), Plain) }()
	time.Sleep(60 * time.Millisecond)
	f, err := os.Open(path)
	must.Succeed(t, err)
	defer f.Close()
	text, err := io.ReadAll(f)
	if err = errors.Join(err, <-ended); err != nil || string(text) != "text\n" {
		t.Errorf("%q, %v", text, err)
	}
}
