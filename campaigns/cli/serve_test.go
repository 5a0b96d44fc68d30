package cli

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
