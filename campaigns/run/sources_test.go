package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
)

// TestSources requires that the hash of a protocol changes with each of its
// files, those that others include as well, and not with other files.
func TestSources(t *testing.T) {
	dir := t.TempDir()
	must.Succeed(t, os.CopyFS(dir, os.DirFS("../../sim/ruby/testdata/small")))
	c := &config.Config{}
	c.SLICC = filepath.Join(dir, "small.slicc")
	hash := func() string { return sources(config.SimBuiltin, c)["slicc"] }
	seen := map[string]string{hash(): "nothing"}
	if first := hash(); !strings.HasPrefix(first, "small.slicc sha256:") {
		t.Fatalf("hash is %q", first)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	must.Succeed(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		must.Succeed(t, err)
		must.Succeed(t, os.WriteFile(file, append(text, "\n// changed\n"...), 0o600))
		switch got := hash(); {
		case !strings.HasSuffix(file, ".slicc") && !strings.HasSuffix(file, ".sm"):
		case seen[got] != "":
			t.Errorf("the hash after a change of %s is that of %s", file, seen[got])
		default:
			seen[got] = file
		}
	}
	before := hash()
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "other.sm"), nil, 0o600))
	if got := hash(); got != before || len(seen) < 3 {
		t.Errorf("another file changes the hash from %s to %s; %d files count", before, got, len(seen)-1)
	}
}

// TestBuildID requires that copies of this program have its ID, that changes
// to files without notes change theirs, and that the version of a development
// build has it.
func TestBuildID(t *testing.T) {
	own, err := os.Executable()
	must.Succeed(t, err)
	id, err := buildID(own)
	must.Succeed(t, err)
	if !strings.HasPrefix(id, "build ") || len(id) < 16 || strings.ContainsAny(id, "/\x00") {
		t.Errorf("the ID of this test is %q", id)
	}
	if base := baseVersion(); base == "(devel)" && ToolVersion() != base+" "+id {
		t.Errorf("version is %q", ToolVersion())
	}
	seen := make(map[string]bool)
	for _, text := range []string{"#!/bin/sh\n", "#!/bin/sh\n#", "\x7fELF"} {
		path := filepath.Join(t.TempDir(), "gem5")
		must.Succeed(t, os.WriteFile(path, []byte(text), 0o700))
		id, err := buildID(path)
		if must.Succeed(t, err); seen[id] || !strings.HasPrefix(id, "sha256:") {
			t.Errorf("the ID of %q is %q", text, id)
		}
		seen[id] = true
	}
}
