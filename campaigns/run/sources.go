package run

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"ordeal/campaigns/config"
	"ordeal/sim/gem5"
	"ordeal/sim/osfile"
	"ordeal/sim/protocols"
	"ordeal/sim/slicc/syntax"
)

// sources are the hashes of the protocol's files and of the gem5 binary of a
// configuration, by the names of tools.
func sources(simulator string, c *config.Config) map[string]string {
	all := make(map[string]string)
	note := func(tool, path string, identify func(string) (string, error)) {
		id, err := identify(path)
		if err != nil {
			id = "unknown: " + err.Error()
		}
		all[tool] = filepath.Base(path) + " " + id
	}
	switch {
	case simulator == config.SimBuiltin && c.SLICC != "":
		note("slicc", c.SLICC, func(string) (string, error) { return hashSLICC(c.Source()) })
	case simulator == config.SimGem5:
		if c.Binary != "" {
			binary, err := gem5.Locate(c.Binary, c.Protocol)
			if err != nil {
				binary = c.Binary // the run says what is wrong
			}
			note("gem5 binary", binary, buildID)
		}
		if protocol, _, ok := strings.Cut(c.Mutant, "/"); ok && c.Tree != "" {
			root, err := protocols.InTree(c.Tree, protocol)
			if err != nil {
				root = c.Tree // the run says what is wrong
			}
			note("slicc", root, func(root string) (string, error) { return hashSLICC(protocols.Source{Root: root}) })
		}
	}
	return all
}

// hashSLICC hashes a protocol: the names and contents of its root file and of all
// that this includes, in the order in which they are read.
func hashSLICC(source protocols.Source) (string, error) { return hashOf(source.Texts()) }

// hashOf is hashSLICC of a root file and a file of builtins among texts.
func hashOf(texts fs.FS, root, builtins string) (string, error) {
	h := sha256.New()
	if _, err := syntax.LoadWith(hashedFS{texts, h}, root, builtins); err != nil {
		return "", err
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
}

// hashedFS hashes the files that are read.
type hashedFS struct {
	fs.FS
	hash hash.Hash
}

// ReadFile reads and hashes a file.
func (h hashedFS) ReadFile(name string) ([]byte, error) {
	data, err := fs.ReadFile(h.FS, name)
	if err == nil {
		fmt.Fprintf(h.hash, "%s %d\n%s", name, len(data), data)
	}
	return data, err
}

// buildID identifies an executable by the ID that its linker computed of its
// contents, as go and gcc do, else by its hash.
func buildID(path string) (string, error) {
	f, err := osfile.OpenRegular(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if id := notedID(f); id != "" {
		return "build " + id, nil
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, 0, 1<<62)); err != nil {
		return "", err
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
}

// notedID is the build ID in the notes of an ELF file; empty if there is none. A
// note is three words, sizes of the name and of the rest first, then the name.
func notedID(f io.ReaderAt) string {
	file, err := elf.NewFile(f)
	if err != nil {
		return ""
	}
	for _, section := range []struct {
		name string
		id   func(note []byte) string
	}{
		// actionID/…/contentID of cmd/internal/buildid: the last part is a hash of
		// the file.
		{".note.go.buildid", func(note []byte) string { return string(note[bytes.LastIndexByte(note, '/')+1:]) }},
		{".note.gnu.build-id", hex.EncodeToString},
	} {
		s := file.Section(section.name)
		if s == nil {
			continue
		}
		note, err := s.Data()
		const head = 16 // with a name of 4 bytes
		if err != nil || len(note) <= head || file.ByteOrder.Uint32(note) != 4 {
			continue
		}
		if end := head + int(file.ByteOrder.Uint32(note[4:])); end <= len(note) {
			return section.id(note[head:end])
		}
	}
	return ""
}
