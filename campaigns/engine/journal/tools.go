package journal

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ordeal/campaigns/config"
)

// UseTools returns an error unless runs of other versions of the tools may be added to
// those of the header. The machine that runs programs may be another one, as nodes of a
// cluster take turns: all of them are recorded.
func (h *Header) UseTools(now map[string]string) error {
	host := Machines(h.Tools[config.SimHost], now[config.SimHost])
	was := maps.Clone(h.Tools)
	delete(was, config.SimHost)
	if list := differences(was, now); len(list) > 0 {
		return fmt.Errorf("its runs were made by other versions: %s: resume with those, or run another campaign", strings.Join(list, "; "))
	}
	if host != "" {
		h.Tools = maps.Clone(h.Tools)
		h.Tools[config.SimHost] = host
	}
	return nil
}

// Machines joins lists of versions, which "; " separates.
func Machines(a, b string) string {
	all := append(strings.Split(a, "; "), strings.Split(b, "; ")...)
	slices.Sort(all)
	return strings.TrimPrefix(strings.Join(slices.Compact(all), "; "), "; ")
}

// differences lists the tools whose versions differ, sorted: each with what it is
// now and what it was.
func differences(was, now map[string]string) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if was[name] != now[name] {
			list = append(list, fmt.Sprintf("%s is %q, was %q", name, now[name], was[name]))
		}
	}
	return list
}
