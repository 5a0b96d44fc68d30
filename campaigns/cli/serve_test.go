package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ordeal/campaigns/internal/must"
)

// TestServe starts ordeal serve, reads a page, and ends it by an interrupt.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	cmd := process(t, "serve", "--json", dir)
	out, err := cmd.StdoutPipe()
	must.Succeed(t, err)
	must.Succeed(t, cmd.Start())
	defer cmd.Process.Kill()
	var at struct {
		Version int
		URL     string
	}
	must.Succeed(t, json.NewDecoder(bufio.NewReader(out)).Decode(&at))
	if at.Version != 1 || !strings.HasPrefix(at.URL, "http://127.0.0.1:") {
		t.Errorf("%+v", at)
	}
	r, err := http.Get(at.URL)
	must.Succeed(t, err)
	text, err := io.ReadAll(r.Body)
	must.Succeed(t, err)
	must.Succeed(t, r.Body.Close())
	if !strings.Contains(string(text), "There is no campaign yet.") {
		t.Errorf("the page is\n%s", text)
	}
	must.Succeed(t, cmd.Process.Signal(os.Interrupt))
	if err := cmd.Wait(); err != nil {
		t.Errorf("interrupted: %v", err)
	}
	if status, _, stderr := ordeal("", "serve", "--listen", "0.0.0.0:0", dir); status != 2 || !strings.Contains(stderr, "want an address of this machine") {
		t.Errorf("exit status %d: %s", status, stderr)
	}
	if status, _, _ := ordeal("", "serve", filepath.Join(dir, "nosuch")); status != 4 {
		t.Errorf("without a directory: exit status %d", status)
	}
}

// TestServeStalled wants a connection that never asks, stops amid its question or in what it sends, or is idle
// after an answer, to be closed.
func TestServeStalled(t *testing.T) {
	t.Parallel()
	cmd := process(t, "serve", "--json", t.TempDir())
	out, err := cmd.StdoutPipe()
	must.Succeed(t, err)
	must.Succeed(t, cmd.Start())
	defer cmd.Process.Kill()
	var at struct{ URL string }
	must.Succeed(t, json.NewDecoder(bufio.NewReader(out)).Decode(&at))
	address := strings.TrimSuffix(strings.TrimPrefix(at.URL, "http://"), "/")
	var stalled []net.Conn
	host := "\r\nHost: " + address + "\r\n"
	for _, sent := range []string{"", "GET / HT", "GET / HTTP/1.1" + host + "X-A: b", "GET / HTTP/1.1" + host + "\r\n", "POST / HTTP/1.1" + host + "Content-Length: 9\r\n\r\nx"} {
		c, err := net.Dial("tcp", address)
		must.Succeed(t, err)
		defer c.Close()
		_, err = io.WriteString(c, sent)
		must.Succeed(t, err)
		stalled = append(stalled, c)
	}
	for i, c := range stalled {
		must.Succeed(t, c.SetReadDeadline(time.Now().Add(5*time.Minute))) // a loaded machine's, not the server's
		if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("connection %d stays open", i)
		}
	}
}
