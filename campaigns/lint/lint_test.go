package lint

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// source is a Go file of the repository.
type source struct {
	path string // from the root, with slashes
	test bool
	text []byte
	file *ast.File
	fset *token.FileSet
}

// layer is the top-level folder of the file; "" for the root.
func (s *source) layer() string {
	layer, _, ok := strings.Cut(s.path, "/")
	if !ok {
		return ""
	}
	return layer
}

// at is a place in the file for messages.
func (s *source) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", s.path, s.fset.Position(n.Pos()).Line)
}

const root = "../.."

// files lists the files of the repository that have one of some suffixes, by
// path from the root.
func files(t *testing.T, suffixes ...string) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != root && (strings.HasPrefix(name, ".") || slices.Contains([]string{"testdata", "bin", "runs"}, name)) {
			return filepath.SkipDir
		}
		if d.IsDir() || strings.HasPrefix(name, ".") || !slices.Contains(suffixes, filepath.Ext(name)) {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		paths = append(paths, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// load parses every Go file of the repository.
func load(t *testing.T) []*source {
	t.Helper()
	var sources []*source
	for _, path := range files(t, ".go") {
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, parse(t, path, string(text)))
	}
	return sources
}

func parse(t *testing.T, path, text string) *source {
	t.Helper()
	s := &source{path: path, test: strings.HasSuffix(path, "_test.go"), text: []byte(text), fset: token.NewFileSet()}
	var err error
	if s.file, err = parser.ParseFile(s.fset, s.path, s.text, parser.ParseComments); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestLint(t *testing.T) {
	sources := load(t)
	if len(sources) < 20 {
		t.Fatalf("found %d Go files below %s: the rules would hold for nothing", len(sources), root)
	}
	for _, rule := range rules {
		t.Run(rule.name, func(t *testing.T) {
			for _, s := range sources {
				for _, violation := range rule.check(s) {
					t.Error(violation)
				}
			}
		})
	}
	t.Run("layout", testLayout)
}

// rule is one rule about single files.
type rule struct {
	name  string
	check func(*source) []string
}

var rules = []rule{
	{"imports", imports},
	{"pure", pure},
	{"context", contexts},
	{"start", start},
	{"links", links},
	{"length", length},
	{"names", names},
	{"comments", comments},
	{"gofmt", gofmt},
}

const maxLines = 500

func length(s *source) []string {
	if n := strings.Count(string(s.text), "\n"); n > maxLines {
		return []string{fmt.Sprintf("%s has %d lines: split it by concept, the limit is %d", s.path, n, maxLines)}
	}
	return nil
}

func names(s *source) []string {
	switch name := s.file.Name.Name; name {
	case "util", "utils", "common", "helper", "helpers", "misc":
		return []string{fmt.Sprintf("%s: package %s: name it by what it holds", s.path, name)}
	}
	return nil
}

func gofmt(s *source) []string {
	want, err := format.Source(s.text)
	if err != nil {
		return []string{fmt.Sprintf("%s: %v", s.path, err)}
	}
	if string(want) != string(s.text) {
		return []string{s.path + " is not in the form of gofmt: run make fmt"}
	}
	return nil
}
