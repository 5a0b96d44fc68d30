package bugs

import (
	"context"
	"crypto/sha1" //nolint: git's hashes of texts are no matter of security here
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Between lists the commits after one version of a protocol up to another one that changed its files, older ones first.
// Versions are the texts of the files, by name, as campaigns keep them. HEAD and what came before it is searched.
func (c *Clone) Between(ctx context.Context, before, after map[string]string) ([]*Commit, error) {
	args := []string{"--topo-order", "--reverse", "HEAD", "--"}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		args = append(args, ":(top,glob)**/"+path.Base(name))
	}
	commits, err := c.revisions(ctx, args...)
	if err != nil {
		return nil, err
	}
	from, to := -1, -1
	for i, x := range commits {
		has, err := c.blobs(ctx, x.ID)
		if err != nil {
			return nil, err
		}
		switch {
		case to < 0 && includes(has, after):
			to = i
		case to < 0 && includes(has, before):
			from = i
		}
	}
	if from < 0 || to < 0 {
		return nil, fmt.Errorf("no two commits before HEAD have the texts of both versions, one after the other")
	}
	return commits[from+1 : to+1], nil
}

// blobs has the hashes of the files of protocols of a commit by their names.
func (c *Clone) blobs(ctx context.Context, id string) (map[string][]string, error) {
	out, err := c.git(ctx, nil, "ls-tree", "-r", "-z", "--full-tree", id)
	if err != nil {
		return nil, err
	}
	has := map[string][]string{}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		about, name, _ := strings.Cut(entry, "\t")
		if fields := strings.Fields(about); isSource(name) && len(fields) == 3 { // mode, type, object
			has[path.Base(name)] = append(has[path.Base(name)], fields[2])
		}
	}
	return has, nil
}

// includes reports whether a commit has all files of a version that it has a file of this name for: those that come with
// ordeal are in no repository.
func includes(has map[string][]string, version map[string]string) bool {
	found := 0
	for name, text := range version {
		list := has[path.Base(name)]
		sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(text), text))
		if len(list) > 0 && !slices.Contains(list, hex.EncodeToString(sum[:])) {
			return false
		}
		found += len(list)
	}
	return found > 0
}
