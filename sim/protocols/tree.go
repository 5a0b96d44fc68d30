package protocols

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Folder is where a tree of gem5 has its protocols.
const Folder = "src/mem/ruby/protocol"

// Folders are where gem5 has had its protocols; one may have a folder of its own in them, as
// chi/CHI. The last one is of a course, and part of every tree.
var Folders = []string{Folder, "src/mem/protocol", "src/learning_gem5/part3"}

// InTree finds the root file of a protocol of a gem5 source tree by its name, with or without
// the folder of its own: CHI or chi/CHI. The error for a name that is not there lists those that are.
func InTree(tree, name string) (string, error) {
	name = strings.TrimSuffix(name, suffix)
	var names []string
	for _, folder := range Folders {
		dir := filepath.Join(tree, filepath.FromSlash(folder))
		for _, root := range rootFiles(dir) {
			if known := strings.TrimSuffix(root, suffix); known == name || path.Base(known) == name {
				return filepath.Join(dir, filepath.FromSlash(root)), nil
			}
			names = append(names, strings.TrimSuffix(path.Base(root), suffix))
		}
	}
	if len(names) == 0 {
		return "", fmt.Errorf("%s: no gem5 source tree: no protocol in %s", tree, strings.Join(Folders, ", "))
	}
	slices.Sort(names)
	return "", fmt.Errorf("no protocol %q in %s, which has %s", name, tree, strings.Join(slices.Compact(names), ", "))
}

const suffix = ".slicc"

// rootFiles lists the root files of a folder and of the folders in it, those of the folder first.
func rootFiles(dir string) []string {
	var here, below []string
	entries, _ := os.ReadDir(dir) // a folder that is not there has none
	for _, e := range entries {
		if e.Type().IsRegular() {
			here = append(here, e.Name())
		} else if e.IsDir() {
			files, _ := os.ReadDir(filepath.Join(dir, e.Name()))
			for _, f := range files {
				if f.Type().IsRegular() {
					below = append(below, path.Join(e.Name(), f.Name()))
				}
			}
		}
	}
	return slices.DeleteFunc(append(here, below...), func(name string) bool {
		return path.Ext(name) != suffix || name == interfaces
	})
}

// Split divides the folder of a root file into the gem5 tree that it is in and its path there;
// false for one that is in none.
func Split(dir string) (tree, folder string, ok bool) {
	slashed := filepath.ToSlash(dir)
	for _, known := range Folders {
		if i := strings.LastIndex("/"+slashed+"/", "/"+known+"/"); i >= 0 {
			return filepath.Clean(slashed[:i]), filepath.FromSlash(slashed[i:]), true
		}
	}
	return "", "", false
}
