package protocols

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ordeal/sim/slicc/syntax"
)

// TestLoadFile loads a protocol of files, and requires that pipes, devices and
// too much text, as root file and included, are refused at once.
func TestLoadFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	pipe := filepath.Join(dir, "pipe.sm")
	if err := unix.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "secret.sm")
	if err := os.WriteFile(outside, []byte("TheSecret of the user"), 0o666); err != nil {
		t.Fatal(err)
	}
	link := func(to, name string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.Symlink(to, path)); err != nil {
			t.Fatal(err)
		}
	}
	link("/dev/zero", "zero.sm")
	link(outside, "leak.sm")
	link(filepath.Dir(outside), "folder")
	link("own.sm", "inside.sm")
	link("none.sm", "nowhere.sm")
	large := write("large.sm", "")
	if err := os.Truncate(large, 1<<40); err != nil {
		t.Fatal(err)
	}
	const head = "protocol \"P\";\n"
	write("part.sm", "// "+strings.Repeat("x", syntax.MaxText/4)+"\n")
	write("own.sm", "")
	if _, err := LoadFile(write("good.slicc", head+`include "own.sm"; include "part.sm"; include "inside.sm";`)); err != nil {
		t.Errorf("a protocol of three files: %v", err)
	}
	// As in a tree of gem5, what is not beside a file is in the directory of
	// protocols.
	tree := filepath.Join(dir, "src/mem/ruby/protocol")
	for _, folder := range []string{"src/mem/ruby/protocol/deep", "src/other/part3"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o777); err != nil {
			t.Fatal(err)
		}
		write(folder+"/msg.sm", "")
	}
	write("src/mem/ruby/protocol/"+interfaces, `include "types.sm";`)
	write("src/mem/ruby/protocol/types.sm", "")
	for _, folder := range []string{tree, filepath.Join(tree, "deep"), filepath.Join(dir, "src/other/part3")} {
		root := filepath.Join(folder, "root.slicc")
		text := head + `include "` + interfaces + `";`
		if folder != tree {
			text += `include "msg.sm";`
		}
		if err := os.WriteFile(root, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadFile(root); err != nil {
			t.Errorf("in a tree: %v", err)
		}
	}
	link(outside, "src/mem/ruby/protocol/leak.sm")
	for what, c := range map[string]struct{ path, want string }{
		"root is a pipe":           {pipe, "no regular file"},
		"root is a device":         {filepath.Join(dir, "zero.sm"), "zero.sm: a symbolic link leads out"},
		"root is a link":           {filepath.Join(dir, "leak.sm"), "leak.sm: a symbolic link leads out"},
		"root is large":            {large, "more than"},
		"a pipe is included":       {write("a.slicc", head+`include "pipe.sm";`), "no regular file"},
		"a device is included":     {write("b.slicc", head+`include "zero.sm";`), "zero.sm: a symbolic link leads out"},
		"a link is included":       {write("f.slicc", head+`include "leak.sm";`), "leak.sm: a symbolic link leads out"},
		"by a link of the tree":    {write("src/mem/ruby/protocol/f.slicc", head+`include "leak.sm";`), "leak.sm: a symbolic link leads out"},
		"through a linked folder":  {write("g.slicc", head+`include "folder/secret.sm";`), "no such file"},
		"a link to nothing":        {write("h.slicc", head+`include "nowhere.sm";`), "no such file"},
		"a large file is included": {write("c.slicc", head+`include "large.sm";`), "more than"},
		"many files":               {write("d.slicc", head+strings.Repeat("include \"part.sm\";\n", 5)), "more than"},
		"a directory is included":  {write("e.slicc", head+`include ".";`), "no such file"},
		"no file":                  {filepath.Join(dir, "none.slicc"), "no such file"},
	} {
		_, err := LoadFile(c.path)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "TheSecret") {
			t.Errorf("%s: %v has what is outside", what, err)
		}
		if err != nil && len(err.Error()) > 2000 {
			t.Errorf("%s: a message of %d bytes", what, len(err.Error()))
		}
	}
}
