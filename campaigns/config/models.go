package config

import (
	"fmt"
	"slices"
	"strings"

	"ordeal/campaigns/internal/messages"
	"ordeal/check/model"
)

// ModelNames lists the names that ParseModels knows, without "all", in the
// order of model.All.
func ModelNames() []string {
	var names []string
	for _, m := range model.All() {
		names = append(names, m.Name)
	}
	return names
}

// ParseModels reads a comma-separated list of model names, dropping
// repetitions; "all" stands for every model.
func ParseModels(list string) ([]model.Model, error) {
	var picked []model.Model
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		known := name == "all"
		for _, m := range model.All() {
			if name != "all" && m.Name != name {
				continue
			}
			known = true
			if !slices.ContainsFunc(picked, func(p model.Model) bool { return p.Name == m.Name }) {
				picked = append(picked, m)
			}
		}
		if !known {
			return nil, fmt.Errorf("unknown model %q%s", name, messages.Hint(name, append([]string{"all"}, ModelNames()...)))
		}
	}
	return picked, nil
}
