package lint

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// impure packages give access to the outside, or to state that is shared.
var impure = []string{"os", "os/exec", "os/signal", "net", "syscall", "io/ioutil", "math/rand", "crypto/rand", "log", "log/slog", "sync/atomic"}

// clocks may read the clock: for Verdict.Stats alone.
var clocks = map[string]bool{"check/check.go": true}

// testSupport are files that only tests import; they may read test data.
var testSupport = map[string]bool{"check/internal/cases/cases.go": true}

// pure holds gen, parse and check to values in, values out.
func pure(s *source) []string {
	layer := s.layer()
	if s.test || testSupport[s.path] || layer != "gen" && layer != "parse" && layer != "check" {
		return nil
	}
	var out []string
	for _, imp := range s.file.Imports {
		path := strings.Trim(imp.Path.Value, `"`)
		if slices.Contains(impure, path) || strings.HasPrefix(path, "net/") {
			out = append(out, fmt.Sprintf("%s: import of %s: %s is pure: no clock, process, network or global state", s.at(imp), path, layer))
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			out = append(out, fmt.Sprintf("%s: go statement: %s starts no goroutines", s.at(n), layer))
		case *ast.SelectorExpr:
			pkg, ok := n.X.(*ast.Ident)
			if !ok || pkg.Obj != nil {
				return true
			}
			call := pkg.Name + "." + n.Sel.Name
			switch {
			case pkg.Name == "sync" && n.Sel.Name != "OnceValue":
				out = append(out, fmt.Sprintf("%s: %s: %s shares no state but tables that are made once, by sync.OnceValue", s.at(n), call, layer))
			case clockCall[call] && !clocks[s.path]:
				out = append(out, fmt.Sprintf("%s: %s: %s reads no clock", s.at(n), call, layer))
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
