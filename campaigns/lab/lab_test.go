package lab

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ordeal/campaigns/internal/must"
)

// TestContinue ends an experiment in the middle, cuts its file in the middle of a line,
// and continues: each case is executed once, and what another result depends on is
// another case.
func TestContinue(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	executed := map[string]int{}
	run := func(most int, depends any) []string {
		s, err := Open[string](path)
		must.Succeed(t, err)
		defer func() { must.Succeed(t, s.Close()) }()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		n := 0
		list, err := Run(ctx, 1, []string{"a", "b", "c", "d"}, func(_ context.Context, name string) (string, error) {
			return s.Do(Case{name, depends}, func() (string, error) {
				if n++; n > most {
					return "", errors.New("enough")
				}
				executed[name]++
				return strings.ToUpper(name), nil
			})
		}, nil)
		if (err != nil) != (n > most) {
			t.Fatal(err)
		}
		return list
	}
	if got := run(2, 1); !slices.Equal(got, []string{"A", "B"}) {
		t.Errorf("%q", got)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	must.Succeed(t, err)
	_, err = f.WriteString(`{"case":"c","key":"`)
	must.Succeed(t, errors.Join(err, f.Close()))
	if got := run(2, 1); !slices.Equal(got, []string{"A", "B", "C", "D"}) {
		t.Errorf("%q", got)
	}
	for name, n := range executed {
		if n != 1 {
			t.Errorf("%s is executed %d times", name, n)
		}
	}
	if run(9, map[string]int{"x": 1, "y": 2}); executed["a"] != 2 {
		t.Errorf("what depends on something else is executed %d times in all, want 2", executed["a"])
	}
	text, err := os.ReadFile(path)
	must.Succeed(t, err)
	entries, err := Parse[string](path, text)
	if err != nil || len(entries) != 8 || entries[2].Name != "c" || entries[2].Result != "C" {
		t.Errorf("%v %v", entries, err)
	}
}

// TestTogether asks for one case from several goroutines: it is executed once.
func TestTogether(t *testing.T) {
	s, err := Open[int](filepath.Join(t.TempDir(), "results.jsonl"))
	must.Succeed(t, err)
	defer s.Close()
	var executed atomic.Int32
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if r, err := s.Do(Case{Name: "a"}, func() (int, error) { executed.Add(1); return 7, nil }); r != 7 || err != nil {
				t.Error(r, err)
			}
		})
	}
	wait.Wait()
	if executed.Load() != 1 {
		t.Errorf("executed %d times", executed.Load())
	}
}

// TestOpen rejects files that are not results, and lines that were changed.
func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	s, err := Open[int](path)
	must.Succeed(t, err)
	_, err = s.Do(Case{Name: "a"}, func() (int, error) { return 71, nil })
	must.Succeed(t, errors.Join(err, s.Close()))
	text, err := os.ReadFile(path)
	must.Succeed(t, err)
	for _, bad := range []string{"hello\n", "{}\n", strings.Replace(string(text), "71", "72", 1)} {
		must.Succeed(t, os.WriteFile(path, []byte(bad), 0o600))
		if _, err := Open[int](path); err == nil || !strings.Contains(err.Error(), path+":1: ") {
			t.Errorf("%q: error %v", bad, err)
		}
	}
}
