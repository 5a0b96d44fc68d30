package cluster

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"ordeal/campaigns/journal"
)

// head reads campaign.json of a campaign's directory; nil where it has not
// begun.
func head(dir string) (*journal.Header, error) {
	path := filepath.Join(dir, journal.HeadFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	h := new(journal.Header)
	if err := json.Unmarshal(data, h); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return h, nil
}

// ended tells whether a shard has come to its end by itself.
func (d Dir) ended(i int) (bool, error) {
	h, err := head(d.Shard(i))
	return h != nil && byItself(h.End), err
}

func byItself(end journal.End) bool {
	return end == journal.EndComplete || end == journal.EndStopped || end == journal.EndBudget
}

// recorded counts the runs that a campaign's journal has.
func recorded(dir string) (int, error) {
	f, err := os.Open(filepath.Join(dir, journal.JournalFile))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	defer f.Close()
	n := 0
	for r := bufio.NewReader(f); ; {
		_, err := r.ReadSlice('\n')
		switch {
		case err == nil:
			n++
		case err == io.EOF:
			return n, nil
		case !errors.Is(err, bufio.ErrBufferFull): // a long line goes on
			return 0, err
		}
	}
}

// isMerged tells whether the merged campaign has what the shards have.
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
