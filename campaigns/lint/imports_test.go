package lint

import (
	"fmt"
	"slices"
	"strings"
)

// layers and stages are in order: each imports only those before it. Packages
// of campaigns that are no stage come between the last stage and cli.
var (
	layers = []string{"gen", "sim", "parse", "check", "campaigns", ""}
	stages = []string{"diagnose", "config", "run", "engine"}
)

// stage is the position of a folder of campaigns: the root, which holds files
// to embed, and internal are imported by all.
func stage(folder string) int {
	switch folder {
	case "", "internal":
		return -1
	case "cli":
		return len(stages) + 1
	}
	if i := slices.Index(stages, folder); i >= 0 {
		return i
	}
	return len(stages)
}

// imports holds the direction of imports: between layers, and in campaigns.
func imports(s *source) []string {
	var out []string
	for _, imp := range s.file.Imports {
		path, ok := strings.CutPrefix(strings.Trim(imp.Path.Value, `"`), "ordeal/")
		if !ok {
			continue
		}
		to, rest, _ := strings.Cut(path, "/")
		switch {
		case slices.Index(layers, to) > slices.Index(layers, s.layer()):
			out = append(out, fmt.Sprintf("%s: imports %s: imports go gen <- sim <- parse <- check <- campaigns", s.at(imp), path))
		case to == "campaigns" && s.layer() == to && !s.test:
			from, to := folder(strings.TrimPrefix(s.path, "campaigns/")), folder(rest+"/")
			if stage(to) > stage(from) {
				out = append(out, fmt.Sprintf("%s: imports %s: in campaigns imports go %s <- the rest <- cli", s.at(imp), path, strings.Join(stages, " <- ")))
			}
		}
	}
	return out
}

// folder is the first folder of a path; "" for a file.
func folder(path string) string {
	first, _, ok := strings.Cut(path, "/")
	if !ok {
		return ""
	}
	return first
}
