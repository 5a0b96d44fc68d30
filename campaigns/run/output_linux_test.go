package run

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ordeal/campaigns/internal/must"
)

// A FIFO without a reader is waited for until the first signal.
func TestOutputWithoutReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	must.Succeed(t, unix.Mkfifo(path, 0o600))
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, unix.SIGTERM) // so that it does not end the test
	defer signal.Stop(signals)
	ended := make(chan error, 1)
	go func() {
		_, err := CreateOutput(path, Plain)
		ended <- err
	}()
	for { // a second signal is for a first one that came before it waited
		select {
		case err := <-ended:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%v, want an interruption", err)
			}
			return
		case <-time.After(10 * time.Millisecond):
			must.Succeed(t, unix.Kill(os.Getpid(), unix.SIGTERM))
		}
	}
}

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
	time.Sleep(3 * readerInterval)
	f, err := os.Open(path)
	must.Succeed(t, err)
	defer f.Close()
	text, err := io.ReadAll(f)
	if err = errors.Join(err, <-ended); err != nil || string(text) != "text\n" {
		t.Errorf("%q, %v", text, err)
	}
}
