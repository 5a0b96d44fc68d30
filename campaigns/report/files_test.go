package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ordeal/campaigns/internal/must"
)

// TestFiles requires that links are refused even inside the directory, like
// pipes and whatever is outside, and that sizes are bounded.
func TestFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "night")
	must.Succeed(t, os.MkdirAll(filepath.Join(dir, "run"), 0o777))
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "run", "witness-sc.txt"), []byte("12345"), 0o666))
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "..", "outside"), []byte("1"), 0o666))
	must.Succeed(t, os.Symlink("run/witness-sc.txt", filepath.Join(dir, "file")))
	must.Succeed(t, os.Symlink("run", filepath.Join(dir, "folder")))
	must.Succeed(t, unix.Mkfifo(filepath.Join(dir, "pipe"), 0o666))
	f := FilesOf(dir)
	if data, err := f.Read("run/witness-sc.txt", 5); err != nil || string(data) != "12345" {
		t.Errorf("a file has %q, %v", data, err)
	}
	if _, err := f.Read("run/witness-sc.txt", 4); err == nil {
		t.Error("a file of 5 bytes is read within 4")
	}
	for _, name := range []string{"file", "folder/witness-sc.txt", "pipe", "run", "../outside", "../night/run/witness-sc.txt"} {
		if data, err := f.Read(name, 5); err == nil {
			t.Errorf("%s is read: %q", name, data)
		}
	}
	if f.Has("folder/witness-sc.txt") || f.Has("../outside") || !f.Has("run/witness-sc.txt") {
		t.Error("Has follows links, or leads outside")
	}
	if got := f.Names("run", "witness-*.txt"); len(got) != 1 || got[0] != "witness-sc.txt" {
		t.Errorf("names %v", got)
	}
	if got := f.Names("folder", "*"); len(got) > 0 {
		t.Errorf("names behind a link: %v", got)
	}
}

// TestEscaped requires reports without what acts on a terminal, whoever reads
// them: JSON and XML mean the same.
func TestEscaped(t *testing.T) {
	a, _ := archived(t, mixed)
	a.Header.Tools = map[string]string{"go": "1\x7f\u009b\u202e\x1b"}
	a.Campaign.Name = "night\u2066\u0085"
	for name, write := range map[string]func(*bytes.Buffer) error{
		"junit": func(b *bytes.Buffer) error { return WriteJUnit(b, a, nil) },
		"jsonl": func(b *bytes.Buffer) error { return WriteJSONL(b, a, nil) },
	} {
		var text bytes.Buffer
		must.Succeed(t, write(&text))
		if i := strings.IndexAny(text.String(), "\x07\x1b\x7f\u0085\u009b\u202e\u2066"); i >= 0 {
			t.Errorf("%s has %q", name, text.String()[max(0, i-20):i+3])
		}
		if !strings.Contains(text.String(), `\u2066`) && !strings.Contains(text.String(), `\u202e`) {
			t.Errorf("%s does not show what was escaped", name)
		}
	}
}
