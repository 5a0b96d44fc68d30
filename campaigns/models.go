package campaigns

import (
	"fmt"
	"slices"
	"strings"

	"ordeal/check/model"
)

// models are the models that have a name on the command line, strongest
// first.
var models = []model.Model{
	model.SC, model.TSO, model.PSO, model.RMO,
	model.WSC, model.CCM, model.WCCM, model.CCv, model.CM, model.CC, model.WTSO, model.WPSO,
}

// ModelNames lists the names that ParseModels knows, without "all".
func ModelNames() []string {
	names := make([]string, len(models))
	for i := range models {
		names[i] = models[i].Name
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
		for _, m := range models {
			if name != "all" && m.Name != name {
				continue
			}
			known = true
			if !slices.ContainsFunc(picked, func(p model.Model) bool { return p.Name == m.Name }) {
				picked = append(picked, m)
			}
		}
		if !known {
			return nil, fmt.Errorf("unknown model %q (known: all, %s)", name, strings.Join(ModelNames(), ", "))
		}
	}
	return picked, nil
}
