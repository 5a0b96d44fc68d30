// Package lab runs experiments on Ordeal itself: a list of cases, each with a result that
// is kept in a file, so that an experiment that was interrupted or killed continues where
// it was. Below it are the experiments: bugs has real bugs of gem5's history and known
// defects, repair the search for repairs, papers the experiments of the papers.
package lab

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"ordeal/campaigns/run"
)

// Case names a case of an experiment, and what its result depends on: any value that
// encoding/json writes in one way only, maps included, since their keys are sorted.
type Case struct {
	Name    string `json:"case"`
	Depends any    `json:"depends"`
}

// key is a hash of the case's canonical JSON.
func (c *Case) key() (string, error) {
	key, err := Hash(c)
	if err != nil {
		return "", fmt.Errorf("case %s: %w", c.Name, err)
	}
	return key, nil
}

// Hash returns a hash of a value's canonical JSON, for Case.Depends where many cases depend on
// the same large value.
func Hash(v any) (string, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16]), nil
}

// Entry is a line of a file of results.
type Entry[R any] struct {
	Name   string `json:"case"`
	Key    string `json:"key"`
	Result R      `json:"result"`
}

// Results stores the results of an experiment's cases. Several goroutines may use them. A nil
// pointer is valid: it has no results and stores none.
type Results[R any] struct {
	file  *os.File
	mu    sync.Mutex // of what follows and of writing to the file
	known map[string]R
	busy  map[string]*sync.Mutex // cases that are executed now
}

// Open opens or creates the file of results at path. An incomplete last line, of a
// process that was killed, is dropped.
func Open[R any](path string) (*Results[R], error) {
	data, err := run.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	entries, size, err := parse[R](data)
	if err != nil {
		return nil, fmt.Errorf("read %s:%w", path, err)
	}
	file, err := run.Append(path)
	if err != nil {
		return nil, err
	}
	if err := file.Truncate(size); err != nil {
		return nil, errors.Join(fmt.Errorf("write %s: %w", path, err), file.Close())
	}
	s := &Results[R]{file: file, known: map[string]R{}, busy: map[string]*sync.Mutex{}}
	for _, e := range entries {
		s.known[e.Key] = e.Result
	}
	return s, nil
}

// Parse returns the lines of a file of results; name is the file's, for errors. An
// incomplete last line is left out.
func Parse[R any](name string, data []byte) ([]Entry[R], error) {
	entries, size, err := parse[R](data)
	if err == nil && size == 0 && len(data) > 0 {
		err = fmt.Errorf("1: %w", errForeign)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s:%w", name, err)
	}
	return entries, nil
}

var errForeign = errors.New("not a result of an experiment")

// parse returns the results of a file, and the size of its complete lines. An error begins
// with the number of the line.
func parse[R any](data []byte) (list []Entry[R], size int64, err error) {
	for line, err := range run.Lines(bytes.NewReader(data)) {
		if err != nil {
			return nil, 0, err // not of memory
		}
		var e Entry[R]
		if err := errors.Join(run.Unseal(line), json.Unmarshal(line, &e)); err != nil {
			return nil, 0, fmt.Errorf("%d: %w", len(list)+1, err)
		}
		if e.Key == "" {
			return nil, 0, fmt.Errorf("%d: %w", len(list)+1, errForeign)
		}
		list = append(list, e)
		size += int64(len(line))
	}
	return list, size, nil
}

// Get returns the result of a case if it is stored.
func (s *Results[R]) Get(c Case) (r R, ok bool) {
	if s == nil {
		return r, false
	}
	key, err := c.key()
	if err != nil {
		return r, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok = s.known[key]
	return r, ok
}

// Do returns the stored result of a case, or executes the case and stores its result. Equal
// cases are executed once, also if several goroutines ask at a time. An error is not stored.
func (s *Results[R]) Do(c Case, execute func() (R, error)) (R, error) {
	if s == nil {
		return execute()
	}
	var none R
	key, err := c.key()
	if err != nil {
		return none, err
	}
	s.mu.Lock()
	if s.busy[key] == nil {
		s.busy[key] = new(sync.Mutex)
	}
	busy := s.busy[key]
	s.mu.Unlock()
	busy.Lock()
	defer busy.Unlock()
	if r, ok := s.Get(c); ok {
		return r, nil
	}
	r, err := execute()
	if err != nil {
		return none, err
	}
	text, err := json.Marshal(Entry[R]{c.Name, key, r})
	if err != nil {
		return none, fmt.Errorf("case %s: %w", c.Name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.file.Write(run.Seal(text)); err != nil {
		return none, err
	}
	s.known[key] = r
	return r, nil
}

// Close flushes the results to the disk.
func (s *Results[R]) Close() error {
	if s == nil {
		return nil
	}
	return errors.Join(s.file.Sync(), s.file.Close())
}

// Run executes the cases of an experiment, some at a time; 0 stands for 1. OnResult is
// called with each result, one at a time, in the order in which they end; nil means no
// callback. The results are in the order of the cases: after an error, that of ctx
// included, those that there are.
func Run[C, R any](ctx context.Context, workers int, cases []C, run func(context.Context, C) (R, error), onResult func(R)) ([]R, error) {
	type slot struct {
		result R
		done   bool
	}
	slots := make([]slot, len(cases))
	var mu sync.Mutex
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(max(workers, 1))
	for i, c := range cases {
		g.Go(func() error {
			if inner.Err() != nil {
				return context.Cause(inner)
			}
			r, err := run(inner, c)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			slots[i] = slot{r, true}
			if onResult != nil {
				onResult(r)
			}
			return nil
		})
	}
	err := g.Wait()
	var results []R
	for _, s := range slots {
		if s.done {
			results = append(results, s.result)
		}
	}
	return slices.Clip(results), err
}
