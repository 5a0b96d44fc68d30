package merge

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
)

// agree checks that the sources are of one campaign and made by the same
// versions, and merges their headers.
func (j *merging) agree() error {
	first := j.sources[0]
	j.c, j.head = first.archive.Campaign, first.archive.Header
	j.head.Shard, j.head.Shards = config.Shard{}, shards(&first.archive.Header)
	keys, err := flat(j.c)
	if err != nil {
		return err
	}
	var errs []error
	for _, s := range j.sources[1:] {
		other, err := flat(s.archive.Campaign)
		if err != nil {
			return err
		}
		if faults := differences(first.name, keys, s.name, other); len(faults) > 0 {
			errs = append(errs, fmt.Errorf("%s and %s are not of the same campaign: %s", first.name, s.name, strings.Join(faults, "; ")))
			continue
		}
		errs = append(errs, j.addHead(s))
	}
	return errors.Join(errs...)
}

// addHead merges the header of a source. The earliest start is that of the
// campaign.
func (j *merging) addHead(s *source) error {
	h := &s.archive.Header
	var errs []error
	for _, tool := range slices.Sorted(maps.Keys(h.Tools)) {
		switch known, ok := j.head.Tools[tool]; {
		case known == h.Tools[tool]:
		case tool == config.SimHost:
			// The machines of a cluster may differ; each run records its own.
			j.head.Tools = maps.Clone(j.head.Tools)
			j.head.Tools[tool] = journal.Machines(known, h.Tools[tool])
		case !ok:
			errs = append(errs, fmt.Errorf("%s was made with %s %s, %s without", s.name, tool, h.Tools[tool], j.sources[0].name))
		default:
			errs = append(errs, fmt.Errorf("%s was made with %s %s, %s with %s", s.name, tool, h.Tools[tool], j.sources[0].name, known))
		}
	}
	if h.Started.Before(j.head.Started) || h.Started.Equal(j.head.Started) && slices.Compare(h.Command, j.head.Command) < 0 {
		j.head.Started, j.head.Command, j.c = h.Started, h.Command, s.archive.Campaign
	}
	j.head.Shards = append(j.head.Shards, shards(h)...)
	slices.SortFunc(j.head.Shards, func(a, b config.Shard) int {
		if a.Of != b.Of {
			return a.Of - b.Of
		}
		return a.Index - b.Index
	})
	j.head.Shards = slices.Compact(j.head.Shards)
	return errors.Join(errs...)
}

// shards lists the shards that a source is, or was merged from.
func shards(h *journal.Header) []config.Shard {
	if h.Shard != (config.Shard{}) {
		return []config.Shard{h.Shard}
	}
	return slices.Clone(h.Shards)
}

// flat returns the values of a campaign file by the paths of their keys, except
// the number of workers, on which no result depends.
func flat(c *config.Campaign) (map[string]string, error) {
	plain := *c
	plain.Workers = 0
	var doc yaml.Node
	err := doc.Encode(&plain)
	keys := make(map[string]string)
	flatten(&doc, "", keys)
	return keys, err
}

func flatten(n *yaml.Node, path string, keys map[string]string) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			flatten(n.Content[i+1], strings.TrimPrefix(path+"."+n.Content[i].Value, "."), keys)
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			flatten(item, fmt.Sprintf("%s.%d", path, i), keys)
		}
	default:
		keys[path] = n.Value
	}
}

// maxShown is how many differences and conflicts a message lists.
const maxShown = 8

// differences lists the values of two campaign files that differ.
func differences(a string, keysA map[string]string, b string, keysB map[string]string) []string {
	all := maps.Clone(keysA)
	maps.Copy(all, keysB)
	var list []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		x, inA := keysA[key]
		y, inB := keysB[key]
		switch {
		case !inA:
			list = append(list, fmt.Sprintf("%s is %q in %s, not set in %s", key, y, b, a))
		case !inB:
			list = append(list, fmt.Sprintf("%s is %q in %s, not set in %s", key, x, a, b))
		case x != y:
			list = append(list, fmt.Sprintf("%s is %q in %s, %q in %s", key, x, a, y, b))
		}
	}
	if more := len(list) - maxShown; more > 0 {
		list = append(list[:maxShown], fmt.Sprintf("%d more", more))
	}
	return list
}
