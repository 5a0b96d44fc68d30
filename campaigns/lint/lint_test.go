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

// room is the top-level folder of the file; "" for the root.
func (s *source) room() string {
	room, _, ok := strings.Cut(s.path, "/")
	if !ok {
		return ""
	}
	return room
}

// at is a place in the file for messages.
func (s *source) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", s.path, s.fset.Position(n.Pos()).Line)
}

const root = "../.."

// load parses every Go file of the repository.
func load(t *testing.T) []*source {
	t.Helper()
	var sources []*source
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "bin" || name == "runs") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasPrefix(name, ".") {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		s := &source{path: filepath.ToSlash(rel), test: strings.HasSuffix(name, "_test.go"), fset: token.NewFileSet()}
		if s.text, err = os.ReadFile(path); err != nil {
			return err
		}
		s.file, err = parser.ParseFile(s.fset, s.path, s.text, parser.ParseComments)
		sources = append(sources, s)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sources
}

func TestLint(t *testing.T) {
	sources := load(t)
	if len(sources) < 20 {
		t.Fatalf("found %d Go files below %s: the rules would hold for nothing", len(sources), root)
	}
	for _, rule := range rules {
		t.Run(rule.name, func(t *testing.T) {
			for _, s := range sources {
				for _, complaint := range rule.check(s) {
					t.Error(complaint)
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
	{"imports", importDirection},
	{"pure", pure},
	{"length", length},
	{"names", names},
	{"comments", comments},
	{"gofmt", gofmt},
}

// order is the way through the house: a room imports only rooms before it.
var order = []string{"gen", "sim", "parse", "check", "campaigns", ""}

func importDirection(s *source) []string {
	var out []string
	for _, imp := range s.file.Imports {
		path := strings.Trim(imp.Path.Value, `"`)
		to, ok := strings.CutPrefix(path, "ordeal/")
		if !ok {
			continue
		}
		to, _, _ = strings.Cut(to, "/")
		if index(order, to) > index(order, s.room()) {
			out = append(out, fmt.Sprintf("%s: %s imports %s: imports go gen <- sim <- parse <- check <- campaigns", s.at(imp), s.path, path))
		}
	}
	return out
}

func index(list []string, x string) int {
	for i := range list {
		if list[i] == x {
			return i
		}
	}
	return -1
}

// worldly packages are those through which code touches the world.
var worldly = []string{"os", "os/exec", "os/signal", "net", "syscall", "io/ioutil", "math/rand", "crypto/rand", "log", "log/slog", "sync", "sync/atomic"}

// clocks may read the clock: for Verdict.Stats alone.
var clocks = map[string]bool{"check/check.go": true}

// testSupport are files that only tests import; they may read test data.
var testSupport = map[string]bool{"check/internal/cases/cases.go": true}

// pure holds gen, parse and check to values in, values out.
func pure(s *source) []string {
	room := s.room()
	if s.test || testSupport[s.path] || room != "gen" && room != "parse" && room != "check" {
		return nil
	}
	var out []string
	for _, imp := range s.file.Imports {
		path := strings.Trim(imp.Path.Value, `"`)
		if index(worldly, path) >= 0 || strings.HasPrefix(path, "net/") {
			out = append(out, fmt.Sprintf("%s: import of %s: %s is pure: no clock, process, network or global state", s.at(imp), path, room))
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			out = append(out, fmt.Sprintf("%s: go statement: %s starts no goroutines", s.at(n), room))
		case *ast.SelectorExpr:
			pkg, ok := n.X.(*ast.Ident)
			if !ok || pkg.Obj != nil {
				return true
			}
			call := pkg.Name + "." + n.Sel.Name
			switch {
			case clockCall[call] && !clocks[s.path]:
				out = append(out, fmt.Sprintf("%s: %s: %s reads no clock", s.at(n), call, room))
			case pkg.Name == "rand" && !randAllowed[n.Sel.Name]:
				out = append(out, fmt.Sprintf("%s: %s: randomness is a *rand.Rand passed as an argument", s.at(n), call))
			}
		}
		return true
	})
	return out
}

var clockCall = map[string]bool{
	"time.Now": true, "time.Since": true, "time.Until": true, "time.Sleep": true,
	"time.After": true, "time.AfterFunc": true, "time.Tick": true, "time.NewTimer": true, "time.NewTicker": true,
}

// randAllowed are the names of math/rand/v2 that are not its global source.
var randAllowed = map[string]bool{"Rand": true, "New": true, "NewPCG": true, "PCG": true, "Source": true, "Zipf": true, "NewZipf": true}

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
