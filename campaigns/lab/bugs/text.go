package bugs

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"ordeal/sim/lazyregexp"
	"ordeal/sim/protocols"
)

// ownTexts has the hashes of gem5's own protocols, a line each: its name, the hash and a version of gem5 that has the
// text. TestTexts compares it with a tree.
//
//go:embed texts.txt
var ownTexts string

// isGem5s is ofGem5; tests replace it.
var isGem5s = ofGem5

// ofGem5 reports whether the text of the protocol in a file is one that gem5 has, but for comments, spaces
// and the interfaces that all protocols share.
func ofGem5(root string) bool {
	hash, err := textHash(protocols.Source{Root: root})
	return err == nil && slices.ContainsFunc(strings.Split(ownTexts, "\n"), func(line string) bool {
		fields := strings.Fields(line)
		return len(fields) == 3 && fields[1] == hash
	})
}

// textHash is the hash of the text of a protocol: of its files in the order in which they are included.
func textHash(source protocols.Source) (string, error) {
	tree, err := source.Load()
	if err != nil {
		return "", err
	}
	files, root, _ := source.Texts()
	h := sha256.New()
	add := func(name string) error {
		data, err := fs.ReadFile(files, name)
		if err == nil {
			fmt.Fprintf(h, "%s\n", ignored().ReplaceAll(data, nil))
		}
		return err
	}
	err = add(root)
	for i := range tree.Includes() {
		if i.File == nil || i.Implicit || err != nil {
			continue
		}
		if name := i.File.Name; !strings.HasPrefix(path.Base(name), "RubySlicc_") {
			err = add(name)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), err
}

// ignored are comments and spaces.
var ignored = lazyregexp.New(`(?s)/\*.*?\*/|//[^\n]*|\s+`)
