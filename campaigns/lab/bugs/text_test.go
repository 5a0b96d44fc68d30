package bugs

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ordeal/campaigns/internal/must"
	"ordeal/sim/protocols"
)

var printTexts = flag.String("texts", "", "print the lines of texts.txt of a gem5 tree, for the version of this name")

// TestTexts requires the text of each protocol of a gem5 tree to be known.
func TestTexts(t *testing.T) {
	tree := os.Getenv("ORDEAL_GEM5_TREE")
	if tree == "" {
		t.Skip("ORDEAL_GEM5_TREE names no tree")
	}
	list, err := KnownDefects()
	must.Succeed(t, err)
	var names []string
	for _, b := range list.Bugs {
		if !slices.Contains(names, b.Protocol) {
			names = append(names, b.Protocol)
		}
	}
	for _, name := range names {
		root := filepath.Join(tree, filepath.FromSlash(protocols.Folder), filepath.FromSlash(name)+".slicc")
		if *printTexts != "" {
			if hash, err := textHash(protocols.Source{Root: root}); err == nil {
				fmt.Println(name, hash, *printTexts)
			}
		} else if !ofGem5(root) {
			t.Errorf("%s is not known as gem5's", root)
		}
	}
}

// TestOwnText requires an edit of a protocol's text to change its hash, and of a comment not to.
func TestOwnText(t *testing.T) {
	whole := protocolFiles(t, nil)
	want, err := textHash(protocols.Source{Root: whole})
	must.Succeed(t, err)
	file := filepath.Join(filepath.Dir(whole), "MI_example-dir.sm")
	text, err := os.ReadFile(file)
	must.Succeed(t, err)
	for edited, same := range map[string]bool{
		"// note\n" + string(text) + "\n": true, strings.Replace(string(text), "latency", "latency1", 1): false,
	} {
		must.Succeed(t, os.WriteFile(file, []byte(edited), 0o600))
		if got, err := textHash(protocols.Source{Root: whole}); err == nil && (got == want) != same {
			t.Errorf("hash %s of an edit, want that of the text %v", got, same)
		}
	}
	if ofGem5(whole) {
		t.Error("a protocol of this project is said to be gem5's")
	}
}
