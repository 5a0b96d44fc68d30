package cluster

import (
	"errors"
	"io/fs"
	"path/filepath"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/run"
)

// head reads the header of a campaign's directory; nil if it has not started.
func head(dir string) (*journal.Header, error) {
	h := new(journal.Header)
	err := run.ReadJSON(filepath.Join(dir, journal.HeaderFile), h)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return h, err
}

func (d Dir) finished(i int) (bool, error) {
	h, err := head(d.Shard(i))
	return h != nil && isFinal(h.End), err
}

// isFinal reports whether there is nothing to resume after an end.
func isFinal(end journal.End) bool {
	return end == journal.EndComplete || end == journal.EndStopped || end == journal.EndBudget
}

// recorded counts the runs in a campaign's journal, 0 if it has not started.
func recorded(dir string) (runs int, err error) {
	if h, err := head(dir); h == nil || err != nil {
		return 0, err
	}
	a, err := journal.Open(dir)
	if err != nil {
		return 0, err
	}
	for _, err := range a.Passing() {
		if err != nil {
			return 0, err
		}
		runs++
	}
	return runs, nil
}

// isMerged reports whether the merged campaign has all runs of the shards.
func (d Dir) isMerged(shards int) (bool, error) {
	h, err := head(d.Merged())
	if h == nil || err != nil {
		return false, err
	}
	all := 0
	for i := 1; i <= shards; i++ {
		n, err := recorded(d.Shard(i))
		if err != nil {
			return false, err
		}
		all += n
	}
	n, err := recorded(d.Merged())
	return n == all, err
}
