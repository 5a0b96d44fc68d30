package search_test

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"ordeal/sim/explore"
	"ordeal/sim/explore/search"
	"ordeal/sim/protocols"
	"ordeal/sim/ruby"
	"ordeal/sim/ruby/cache"
	"ordeal/sim/slicc/syntax"
)

var soak = flag.Bool("soak", false, "check the Murphi models with Rumur, for half a minute")

// murphi are two protocols that exist in SLICC and, written by hand from the same
// description, in Murphi. The numbers are those of Rumur 2022.08.20: of states
// and rules, and of both with exhaustive reduction by symmetry.
var murphi = []struct {
	model, slicc  string
	caches, lines int
	states, rules uint64
	orbits, fired uint64
}{
	{"mi.m", "MI_example.slicc", 2, 1, 95, 196, 49, 102},
	{"mi.m", "MI_example.slicc", 3, 1, 1482, 3942, 260, 708},
	{"mi.m", "MI_example.slicc", 2, 2, 11171, 36232, 2811, 9122},
	{"msi.m", "msi.slicc", 2, 1, 168, 382, 87, 199},
	{"msi.m", "msi.slicc", 3, 1, 3126, 10332, 559, 1882},
	{"msi.m", "msi.slicc", 4, 1, 59112, 262572, 2883, 13150},
}

// TestMurphi compares explorations with what Rumur has counted.
func TestMurphi(t *testing.T) {
	for _, c := range murphi {
		p := compile(t, c.slicc)
		for _, symmetry := range []bool{false, true} {
			one := cache.Geometry{Sets: 1, Ways: 1}
			m, err := explore.New(explore.Config{
				Protocol: p, System: ruby.Options{Cores: c.caches, Hardware: ruby.Hardware{Private: one, Shared: one}}, Lines: c.lines, Values: 1, Symmetry: symmetry,
			})
			if err != nil {
				t.Fatal(err)
			}
			s, err := search.New(m, search.Options{Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			orbits, steps := c.states, c.rules
			if symmetry {
				orbits, steps = c.orbits, c.fired
			}
			if len(r.Findings) > 0 || r.Orbits != orbits || r.States != c.states || r.Steps != steps {
				t.Errorf("%s, %d caches, %d lines, symmetry %v: %d orbits of %d states, %d steps, %d findings; Rumur has %d of %d, %d rules",
					c.model, c.caches, c.lines, symmetry, r.Orbits, r.States, r.Steps, len(r.Findings), orbits, c.states, steps)
			}
		}
	}
}

func compile(t testing.TB, root string) *ruby.Protocol {
	t.Helper()
	files := fstest.MapFS{}
	for _, from := range []fs.FS{protocols.Files(), os.DirFS("testdata")} {
		names, err := fs.Glob(from, "*.s*")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			data, err := fs.ReadFile(from, name)
			if err != nil {
				t.Fatal(err)
			}
			files[name] = &fstest.MapFile{Data: data}
		}
	}
	tree, err := syntax.Load(files, root)
	if err != nil {
		t.Fatal(err)
	}
	p, err := ruby.Compile(tree)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// model is the text of a Murphi model with numbers of caches and lines.
func model(t testing.TB, name string, caches, lines int) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	sized := strings.Replace(string(text), "CACHES: 2", fmt.Sprint("CACHES: ", caches), 1)
	return strings.Replace(sized, "LINES: 2", fmt.Sprint("LINES: ", lines), 1)
}

var counted = regexp.MustCompile(`(\d+) states, (\d+) rules fired`)

// TestRumur has Rumur check the models and count again.
func TestRumur(t *testing.T) {
	if !*soak {
		t.Skip("-soak has Rumur check the models")
	}
	for _, tool := range []string{"rumur", "cc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%v: the Debian package rumur has it", err)
		}
	}
	for _, c := range murphi {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "model.m"), []byte(model(t, c.model, c.caches, c.lines)), 0o666); err != nil {
			t.Fatal(err)
		}
		for symmetry, want := range map[string]string{
			"off":        fmt.Sprintf("%d states, %d rules fired", c.states, c.rules),
			"exhaustive": fmt.Sprintf("%d states, %d rules fired", c.orbits, c.fired),
		} {
			run := exec.Command("sh", "-c", "rumur model.m -o model.c --deadlock-detection off --symmetry-reduction "+symmetry+
				" && cc -O1 -w -mcx16 model.c -o model -lpthread && ./model")
			run.Dir = dir
			out, err := run.CombinedOutput()
			if got := counted.FindAllString(string(out), -1); err != nil || len(got) == 0 || got[len(got)-1] != want {
				t.Errorf("%s, %d caches, %d lines, symmetry %s: %v, %q, want %s\n%s", c.model, c.caches, c.lines, symmetry, err, got, want, out)
			}
		}
	}
}
