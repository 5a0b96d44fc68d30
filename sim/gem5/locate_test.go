package gem5

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLocate(t *testing.T) {
	folder := func(files ...string) string {
		dir := filepath.Join(t.TempDir(), "a[b]*")
		for _, file := range files {
			mode := os.FileMode(0o755)
			if strings.HasSuffix(file, "!") {
				file, mode = strings.TrimSuffix(file, "!"), 0o644
			}
			path := filepath.Join(dir, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, nil, mode); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	flat := folder("v24-MI_example.opt", "v24-MI_example.fast", "v24-MESI_Two_Level.opt", "v24-MESI_Two_Level_HTM.opt", "MOESI_hammer.txt", "CHI.opt!")
	tree := folder("build/X86_MI_example/gem5.fast", "build/X86_MI_example/gem5.opt", "build/X86_MOESI_hammer/gem5.fast")
	one := folder("build/ALL/gem5.opt")
	for _, test := range []struct{ path, protocol, want string }{
		{"/bin/{protocol}/gem5.opt", "CHI", "/bin/CHI/gem5.opt"},
		{"/nowhere/gem5.opt", "CHI", "/nowhere/gem5.opt"},
		{flat + "/v24-MI_example.opt", "CHI", flat + "/v24-MI_example.opt"},
		{flat, "MI_example", flat + "/v24-MI_example.opt"},
		{flat, "MESI_Two_Level", flat + "/v24-MESI_Two_Level.opt"},
		{tree, "MI_example", tree + "/build/X86_MI_example/gem5.opt"},
		{tree, "MOESI_hammer", tree + "/build/X86_MOESI_hammer/gem5.fast"},
		{one, "CHI", one + "/build/ALL/gem5.opt"},
		{one, "", one + "/build/ALL/gem5.opt"},
	} {
		if got, err := Locate(test.path, test.protocol); err != nil || got != test.want {
			t.Errorf("%s for %s: %s, %v, want %s", test.path, test.protocol, got, err, test.want)
		}
	}
	for _, test := range []struct{ path, protocol, want string }{
		{flat, "", "has v24-MESI_Two_Level.opt, v24-MESI_Two_Level_HTM.opt, v24-MI_example.opt, v24-MI_example.fast: want --protocol"},
		{flat, "CHI", "has no binary for CHI, but v24-MESI_Two_Level.opt, "},
		{folder("x"), "CHI", "has no binary for CHI, but nothing: want one"},
		{"/bin/{protocol}", "", "want --protocol"},
	} {
		if got, err := Locate(test.path, test.protocol); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s for %s: %s, %v, want %q", test.path, test.protocol, got, err, test.want)
		}
	}
}
