//go:build unix

package command

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/iotest"

	"ordeal/campaigns/internal/must"
)

// TestInputStops opens a FIFO that nothing writes to, and reads from one whose writer
// writes nothing: both end when the command is to stop.
func TestInputStops(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	must.Succeed(t, syscall.Mkfifo(path, 0o600))
	stop := make(chan struct{})
	e := &Env{Stop: stop}
	opened := make(chan error)
	go func() {
		_, _, err := e.Open(path)
		opened <- err
	}()
	r, w := io.Pipe()
	defer w.Close()
	read := make(chan error)
	go func() {
		_, err := e.Input(r).Read(make([]byte, 1))
		read <- err
	}()
	close(stop)
	for _, c := range []chan error{opened, read} {
		if err := <-c; !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want %v", err, context.Canceled)
		}
	}
	// The goroutine that opens goes on to wait.
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must.Succeed(t, err)
	must.Succeed(t, f.Close())
}

// TestInput reads what is longer than the buffer, in parts of all kinds.
func TestInput(t *testing.T) {
	want := bytes.Repeat([]byte("0123456789abcde\n"), inputBuffer/8+1)
	e := new(Env)
	for _, r := range []io.Reader{bytes.NewReader(want), iotest.DataErrReader(bytes.NewReader(want)), iotest.HalfReader(bytes.NewReader(want))} {
		if err := iotest.TestReader(e.Input(r), want); err != nil {
			t.Error(err)
		}
	}
	got, err := io.ReadAll(e.Input(iotest.TimeoutReader(bytes.NewReader(want))))
	if !errors.Is(err, iotest.ErrTimeout) || !bytes.HasPrefix(want, got) {
		t.Errorf("%d bytes and %v, want a prefix and %v", len(got), err, iotest.ErrTimeout)
	}
}
