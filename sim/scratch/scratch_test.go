package scratch

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/sim/osfile"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestMake(t *testing.T) {
	parent := t.TempDir()
	t.Setenv("TMPDIR", parent)
	var removes []func()
	for range 2 {
		dir, remove, err := Make("gem5")
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(dir) != "gem5" || len(names(t, dir)) > 0 {
			t.Errorf("directory %s with %v", dir, names(t, dir))
		}
		if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		removes = append(removes, remove)
	}
	sweep(parent) // as another process does meanwhile
	if got := len(names(t, parent)); got != 2 {
		t.Errorf("%d directories, want 2", got)
	}
	for _, remove := range removes {
		remove()
	}
	if got := names(t, parent); len(got) > 0 {
		t.Errorf("left: %v", got)
	}
}

// TestSweep removes what killed processes left, and nothing else.
func TestSweep(t *testing.T) {
	parent := t.TempDir()
	make := func(name string, files ...string) {
		dir := filepath.Join(parent, name)
		if err := os.MkdirAll(filepath.Join(dir, "gem5"), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if err := os.WriteFile(filepath.Join(dir, file), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	make(prefix+"killed", "lock", "gem5/file")
	make(prefix+"held", "lock", "gem5/file")
	make(prefix+"unlocked", "gem5/file") // not as this package makes them
	make(prefix+"others", "lock")
	make("other", "lock", "gem5/file")
	if err := os.Chmod(filepath.Join(parent, prefix+"others"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(parent, prefix+"empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("other", filepath.Join(parent, prefix+"link")); err != nil {
		t.Fatal(err)
	}
	held, err := os.OpenFile(filepath.Join(parent, prefix+"held", "lock"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := osfile.Lock(held); err != nil {
		t.Skip(err)
	}
	sweep(parent)
	want := []string{prefix + "held", prefix + "link", prefix + "others", prefix + "unlocked", "other"}
	for i, name := range names(t, parent) {
		if i >= len(want) || name != want[i] {
			t.Fatalf("left (-want +got):\n%s", cmp.Diff(want, names(t, parent)))
		}
	}
	if diff := cmp.Diff([]string{"file"}, names(t, filepath.Join(parent, "other", "gem5"))); diff != "" {
		t.Errorf("behind a link (-want +got):\n%s", diff)
	}
	sweep(filepath.Join(parent, "none"))
}
