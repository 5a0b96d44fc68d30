package journal

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/config"
)

// Toolset is the versions of the programs of later sessions of a campaign, where
// they differ from those of the first.
type Toolset struct {
	// Session is when the first session with these versions began.
	Session time.Time         `json:"session"`
	Tools   map[string]string `json:"tools"`
}

// Toolset is the versions that Entry.Tools stands for; nil if there is none.
func (h *Header) Toolset(index int) map[string]string {
	switch {
	case index == 0:
		return h.Tools
	case index > 0 && index <= len(h.Mixed):
		return h.Mixed[index-1].Tools
	}
	return nil
}

// Find is the index of a toolset; ok is false if there is none like it.
func (h *Header) Find(tools map[string]string) (index int, ok bool) {
	for i := range len(h.Mixed) + 1 {
		if len(Differences(h.Toolset(i), tools)) == 0 {
			return i, true
		}
	}
	return 0, false
}

// Mix is the index of a toolset, which is added if there is none like it.
func (h *Header) Mix(tools map[string]string, session time.Time) int {
	index, ok := h.Find(tools)
	if !ok {
		h.Mixed = append(slices.Clip(h.Mixed), Toolset{session, tools})
		index = len(h.Mixed)
	}
	return index
}

// madeBy is the index of a toolset that has the versions of a run; 0 if there is
// none.
func (h *Header) madeBy(run map[string]string) int {
	for i := range len(h.Mixed) + 1 {
		has := true
		for name, version := range run {
			has = has && slices.Contains(strings.Split(h.Toolset(i)[name], "; "), version)
		}
		if has {
			return i
		}
	}
	return 0
}

// AllTools are the versions of all sessions, which "; " separates.
func (h *Header) AllTools() map[string]string {
	all := maps.Clone(h.Tools)
	for _, m := range h.Mixed {
		for name, version := range m.Tools {
			if all[name] != version {
				all[name] = strings.TrimPrefix(all[name]+"; "+version, "; ")
			}
		}
	}
	return all
}

// Differences lists the tools whose versions differ, sorted: each with what it is
// now and what it was. What earlier versions of ordeal did not record does not
// differ.
func Differences(was, now map[string]string) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if was[name] != now[name] {
			list = append(list, fmt.Sprintf("%s is %q, was %q", name, now[name], was[name]))
		}
	}
	return list
}

// Replaceable reports whether versions differ in nothing but the machine that
// runs programs: the nodes of a cluster may take turns without being asked for.
func Replaceable(was, now map[string]string) bool {
	was = maps.Clone(was)
	delete(was, config.SimHost)
	return len(Differences(was, now)) == 0
}
