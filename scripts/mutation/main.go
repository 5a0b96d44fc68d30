// Command mutation finds out which changes of the code the tests notice. gremlins lists
// the mutants of a package and says which of them its tests reach; each of those is tried
// by the tests of the package and, where it lives, of packages that import it. Results are
// kept by mutant, so that an interrupted run goes on where it was:
//
//	go run ./scripts/mutation [-base COMMIT] [-callers N] [PACKAGE…]
//	go run ./scripts/mutation -page campaigns/lab/results/tests.json
//
// The first prints survivors, the second adds what is complete to the data of the page
// tests.md and writes it. Both work on the repository of the current directory.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// core are the packages that matter most.
var core = strings.Fields(`./gen/... ./parse/... ./check/... ./sim/slicc/... ./sim/builtin/... ./sim/ruby/...
	./sim/explore/... ./campaigns/engine/... ./campaigns/reduction`)

// gremlins is the tool with the operators of the first measurement.
var gremlins = strings.Fields(`run github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0 unleash
	--dry-run --invert-logical --invert-loopctrl --workers 1 --exclude-files / --silent --output`)

// mutant is a change of one token. Status is that of gremlins, RUNNABLE or NOT COVERED,
// until the mutant was tried: then KILLED, by the tests of its package, CALLER, by those
// of another, LIVED, or NOT VIABLE where it does not compile.
type mutant struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Type   string `json:"type"`
	Status string `json:"status"`
}

func main() {
	base := flag.String("base", "", "try only mutants of lines that differ from this `commit`; nothing is kept")
	callers := flag.Int("callers", 6, "try survivors with the tests of at most `N` packages that import theirs")
	page := flag.String("page", "", "add results to this data `file` and write the page next to it")
	flag.Parse()
	var err error
	if *page != "" {
		err = update(*page)
	} else {
		err = measure(*base, *callers, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutation:", err)
		os.Exit(1)
	}
}

// stateDir has a file of mutants and one of results for each package.
func stateDir() (string, error) {
	commit, err := output("git", "rev-parse", "--short=12", "HEAD")
	return filepath.Join("bin", "mutation", commit), err
}

func measure(base string, callers int, patterns []string) error {
	if len(patterns) == 0 {
		patterns = core
	}
	packages, err := smallestFirst(patterns)
	if err != nil {
		return err
	}
	state, err := stateDir()
	lines := every
	if err == nil && base != "" {
		if lines, err = changed(base); err != nil {
			return err
		}
		if state, err = os.MkdirTemp("", "mutation"); err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(state) }()
	}
	if err != nil {
		return err
	}
	importers, err := importersOf()
	for _, pkg := range packages {
		if err != nil {
			return err
		}
		users := importers[pkg]
		err = try(state, pkg, passing(users[:min(callers, len(users))]), lines)
	}
	return err
}

// try tries the mutants of a package that are not among its results.
func try(state, pkg string, callers []string, lines func(string, int) bool) error {
	mutants, err := list(state, pkg, lines)
	if err != nil {
		return err
	}
	done, err := read(resultFile(state, pkg))
	if err != nil {
		return err
	}
	limit, err := patience(pkg)
	if err != nil {
		return err
	}
	out, err := os.OpenFile(resultFile(state, pkg), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	for _, m := range mutants[min(len(done), len(mutants)):] {
		if m.Status == "RUNNABLE" {
			if m.Status, err = status(m, pkg, callers, limit); err != nil {
				return err
			}
		}
		line, err := json.Marshal(m)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
		if m.Status == "LIVED" || m.Status == "NOT COVERED" {
			fmt.Printf("%s:%d:%d: %s %s\n", m.File, m.Line, m.Column, m.Type, m.Status)
		}
	}
	return out.Close()
}

// smallestFirst lists packages, by path below the module and in order of the size of their code.
func smallestFirst(patterns []string) ([]string, error) {
	text, err := output("go", append([]string{"list", "-f", "{{.Dir}}\t{{.Module.Dir}}\t{{range .GoFiles}}{{.}} {{end}}"}, patterns...)...)
	sizes := make(map[string]int64)
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) < 3 {
			continue // only tests
		}
		pkg, relErr := filepath.Rel(fields[1], fields[0])
		err = errors.Join(err, relErr)
		for _, file := range strings.Fields(fields[2]) {
			info, statErr := os.Stat(filepath.Join(fields[0], file))
			if err = errors.Join(err, statErr); statErr == nil {
				sizes[filepath.ToSlash(pkg)] += info.Size()
			}
		}
	}
	return slices.SortedFunc(maps.Keys(sizes), func(a, b string) int { return cmp.Or(cmp.Compare(sizes[a], sizes[b]), strings.Compare(a, b)) }), err
}

// passing are the packages whose tests pass without a mutant.
func passing(packages []string) []string {
	return slices.DeleteFunc(slices.Clone(packages), func(p string) bool {
		_, err := output("go", "test", "-vet=off", "-ldflags=-w", "-short", "./"+p)
		if err != nil {
			fmt.Fprintln(os.Stderr, "mutation: left out:", err)
		}
		return err != nil
	})
}

// patience is how long the tests of a package may take with a mutant: ten times what they
// take without.
func patience(pkg string) (time.Duration, error) {
	start := time.Now()
	_, err := output("go", "test", "-vet=off", "-ldflags=-w", "-count=1", "./"+pkg)
	return 10*time.Since(start) + 10*time.Second, err
}

// list lists the mutants of a package, in order of their places.
func list(state, pkg string, lines func(string, int) bool) ([]mutant, error) {
	file, err := filepath.Abs(filepath.Join(state, strings.ReplaceAll(pkg, "/", "_")+".json"))
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(state, 0o755); err != nil {
		return nil, err
	}
	if _, err := os.Stat(file); err != nil {
		if _, err := output("go", slices.Concat(gremlins, []string{file, "./" + pkg})...); err != nil {
			return nil, err
		}
	}
	text, err := os.ReadFile(file)
	var report struct {
		Files []struct {
			Name    string   `json:"file_name"`
			Mutants []mutant `json:"mutations"`
		}
	}
	if err == nil {
		err = json.Unmarshal(text, &report)
	}
	var all []mutant
	for _, f := range report.Files {
		for _, m := range f.Mutants {
			if m.File = pkg + "/" + f.Name; lines(m.File, m.Line) {
				all = append(all, m)
			}
		}
	}
	slices.SortFunc(all, func(a, b mutant) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column, strings.Compare(a.Type, b.Type))
	})
	return all, err
}

func resultFile(state, pkg string) string {
	return filepath.Join(state, strings.ReplaceAll(pkg, "/", "_")+".jsonl")
}

// read reads the results that are there already; a line that a kill has cut ends them.
func read(file string) ([]mutant, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var all []mutant
	whole := 0
	for line := range bytes.Lines(text) {
		var m mutant
		if json.Unmarshal(line, &m) != nil || line[len(line)-1] != '\n' {
			break
		}
		all = append(all, m)
		whole += len(line)
	}
	if err == nil && whole < len(text) {
		err = os.Truncate(file, int64(whole))
	}
	return all, err
}

// status tries a mutant that the tests of its package reach.
func status(m mutant, pkg string, callers []string, limit time.Duration) (string, error) {
	source, err := os.ReadFile(m.File)
	if err != nil {
		return "", err
	}
	mutated, err := apply(source, m)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file, overlay := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, mutated, 0o600); err != nil {
		return "", err
	}
	from, err := filepath.Abs(m.File)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{from: file}})
	if err == nil {
		err = os.WriteFile(overlay, text, 0o600)
	}
	if err != nil {
		return "", err
	}
	for i, p := range append([]string{pkg}, callers...) {
		args := []string{"test", "-vet=off", "-ldflags=-w", "-failfast", "-overlay=" + overlay}
		if i > 0 {
			args = append(args, "-short")
		} else {
			args = append(args, "-timeout="+limit.String())
		}
		out, err := output("go", append(args, "./"+p)...)
		switch {
		case err != nil && i == 0 && strings.Contains(out, "[build failed]"):
			return "NOT VIABLE", nil
		case err != nil && i == 0:
			return "KILLED", nil
		case err != nil:
			return "CALLER", nil
		}
	}
	return "LIVED", nil
}

// importersOf lists for each package those that import it, in code or in tests. Those that
// need the fewest packages come first: their tests are likely to be the closest, and are
// linked soonest.
func importersOf() (map[string][]string, error) {
	module, err := output("go", "list", "-m")
	if err != nil {
		return nil, err
	}
	text, err := output("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports,Deps,TestGoFiles,XTestGoFiles", "./...")
	if err != nil {
		return nil, err
	}
	type listed struct {
		ImportPath                                                          string
		Imports, TestImports, XTestImports, Deps, TestGoFiles, XTestGoFiles []string
	}
	var all []listed
	for d := json.NewDecoder(strings.NewReader(text)); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b listed) int { return len(a.Deps) - len(b.Deps) })
	importers := make(map[string][]string)
	for _, p := range all {
		uses := slices.Concat(p.Imports, p.TestImports, p.XTestImports)
		slices.Sort(uses)
		for _, used := range slices.Compact(uses) {
			if used, ours := strings.CutPrefix(used, module+"/"); ours && module+"/"+used != p.ImportPath {
				importers[used] = append(importers[used], strings.TrimPrefix(p.ImportPath, module+"/"))
			}
		}
	}
	return importers, nil
}

// changed reports which lines differ from a commit. gremlins' own --diff matches no file
// of a package below the root of the module.
func changed(base string) (func(file string, line int) bool, error) {
	text, err := output("git", "diff", "--unified=0", "--no-color", base, "--", "*.go")
	return changedIn(text), err
}

// every line is tried without a base.
func every(string, int) bool { return true }

func changedIn(diff string) func(file string, line int) bool {
	newFile := regexp.MustCompile(`^\+\+\+ b/(.*)$`)
	hunk := regexp.MustCompile(`^@@ -\S+ \+(\d+)(?:,(\d+))? @@`)
	type place struct {
		file string
		line int
	}
	lines := make(map[place]bool)
	file := ""
	for line := range strings.Lines(diff) {
		if m := newFile.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			file = m[1]
		} else if m := hunk.FindStringSubmatch(line); m != nil {
			first, _ := strconv.Atoi(m[1])
			n, err := strconv.Atoi(m[2])
			if err != nil {
				n = 1
			}
			for i := range n {
				lines[place{file, first + i}] = true
			}
		}
	}
	return func(file string, line int) bool { return lines[place{file, line}] }
}

// output runs a command and returns what it prints; with an error, on standard error, too.
func output(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String() + stderr.String(), fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, &stderr)
	}
	return strings.TrimSpace(stdout.String()), nil
}
