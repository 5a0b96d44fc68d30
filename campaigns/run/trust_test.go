package run

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
)

func newFile(t *testing.T) File { return File(filepath.Join(t.TempDir(), "ordeal", "trust")) }

// TestFile requires that commands are trusted word by word, for the directory
// and what is in it alone.
func TestFile(t *testing.T) {
	f, dir := newFile(t), t.TempDir()
	run := filepath.Join(dir, "night", "000001")
	must.Succeed(t, os.MkdirAll(run, 0o700))
	must.Succeed(t, os.MkdirAll(filepath.Join(dir, "nightly"), 0o700))
	must.Succeed(t, os.Symlink("night", filepath.Join(dir, "link")))
	command := Command{What: "gem5", Argv: []string{"/gem5", "a b"}}
	must.Succeed(t, f.Add(filepath.Join(dir, "night"), []Command{command}))
	for _, c := range []struct {
		dir     string
		command Command
		want    bool
	}{
		{"night", command, true},
		{"night/000001", command, true},
		{"link", command, true},
		{".", command, false},
		{"nightly", command, false},
		{"night", Command{What: "gem5", Argv: []string{"/gem5", "a", "b"}}, false},
		{"night", Command{What: "gem5", Argv: []string{"/gem5"}}, false},
		{"night", Command{What: "rebuild", Argv: command.Argv}, false},
		{"night", Command{What: "gem5", Argv: command.Argv, Dir: "/tree"}, false},
	} {
		missing, err := f.Allows(filepath.Join(dir, c.dir), []Command{c.command})
		must.Succeed(t, err)
		if got := len(missing) == 0; got != c.want {
			t.Errorf("%v in %s: trusted is %v, want %v", c.command, c.dir, got, c.want)
		}
	}
	if info, err := os.Stat(string(f)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has %v, %v", info.Mode(), err)
	}
}

// TestFileOfOthers requires that a file which others may write to, or have
// written, counts for nothing.
func TestFileOfOthers(t *testing.T) {
	f, dir := newFile(t), t.TempDir()
	commands := []Command{{What: "gem5", Argv: []string{"/gem5"}}}
	must.Succeed(t, f.Add(dir, commands))
	check := func(what string) {
		if missing, err := f.Allows(dir, commands); err == nil || len(missing) != 1 {
			t.Errorf("%s: %v, %v", what, missing, err)
		}
	}
	for _, mode := range []os.FileMode{0o620, 0o602, 0o666} {
		must.Succeed(t, os.Chmod(string(f), mode))
		check(mode.String())
	}
	must.Succeed(t, os.Chmod(string(f), 0o600))
	if os.Getuid() == 0 {
		must.Succeed(t, os.Chown(string(f), 65534, 65534))
		check("another user's")
	}
}

// TestGate requires the zero Gate to refuse all commands of all configurations,
// and nothing else.
func TestGate(t *testing.T) {
	const text = `
name: x
sim: gem5
configs:
  - {name: a, gem5: /a, gem5-tree: /tree}
  - {name: b, gem5: /b, gem5-tree: /tree, mutant: 'MI/x', rebuild: [make, 'a;b']}
  - {name: c, sim: builtin}
`
	c, err := config.Parse("f.yaml", []byte(text), nil)
	must.Succeed(t, err)
	gate := &Gate{Dir: "received"}
	refused, ok := errors.AsType[*Refusal](gate.Campaign(c))
	if !ok || len(refused.Commands) != 3 || !strings.Contains(refused.Error(), "cd /tree && make 'a;b'\n") {
		t.Errorf("%v", refused)
	}
	for i := range c.Configs {
		_, err := gate.NewRunner(c.SimOf(&c.Configs[i]), &c.Configs[i])
		if _, ok := errors.AsType[*Refusal](err); ok != (i < 2) {
			t.Errorf("configuration %s: %v", c.Configs[i].Name, err)
		}
	}
	gate.File = newFile(t)
	must.Succeed(t, gate.File.Add(t.TempDir(), refused.Commands))
	must.Succeed(t, os.Chmod(string(gate.File), 0o666))
	if err := gate.Campaign(c); err == nil || !strings.Contains(err.Error(), string(gate.File)) {
		t.Errorf("a file that others may write to: %v", err)
	}
	gate.File = ""
	gate.Named = config.Gem5{Binary: "/mine", Tree: "/tree"}
	if err := gate.Campaign(c); err == nil || !strings.Contains(err.Error(), "stands for two binaries") {
		t.Errorf("one binary for two: %v", err)
	}
	one := *c
	one.Configs = c.Configs[1:2]
	refused, ok = errors.AsType[*Refusal](gate.Campaign(&one))
	if !ok || len(refused.Commands) != 1 || refused.Commands[0].What != "rebuild" {
		t.Errorf("without --rebuild: %v", refused)
	}
	gate.Named.Rebuild = []string{"scons"}
	must.Succeed(t, gate.Campaign(&one))
	if named := gate.Apply(&one.Configs[0]); named.Binary != "/mine" || named.Rebuild[0] != "scons" {
		t.Errorf("what the command line names is not used: %+v", named.Gem5)
	}
}
