package config

import (
	"fmt"
	"slices"
	"strings"

	"ordeal/campaigns/internal/messages"
	"ordeal/check/model"
)

// ModelNames lists the names that ParseModels knows, without "all", in the
// order of model.Named.
func ModelNames() []string {
	var names []string
	for _, m := range model.Named() {
		names = append(names, m.Name)
	}
	return names
}

// ParseModels reads a comma-separated list of model names, dropping
// repetitions; "all" stands for every model of model.All. Models of also are known
// by their names besides.
func ParseModels(list string, also ...model.Model) ([]model.Model, error) {
	var picked []model.Model
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		known := name == "all"
		for _, m := range append(model.Named(), also...) {
			if m.Name != name && (name != "all" || m.Rules != nil || m.RealTime) {
				continue
			}
			known = true
			if !slices.ContainsFunc(picked, func(p model.Model) bool { return p.Name == m.Name }) {
				picked = append(picked, m)
			}
		}
		if !known {
			names := append([]string{"all"}, ModelNames()...)
			for _, m := range also {
				names = append(names, m.Name)
			}
			return nil, fmt.Errorf("unknown model %q%s", name, messages.Hint(name, names))
		}
	}
	return picked, nil
}
