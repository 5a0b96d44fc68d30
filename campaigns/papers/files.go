package papers

import (
	"embed"
	"fmt"
	"io/fs"

	"ordeal/campaigns/config"
)

//go:embed gcc-*.yaml tsotool-*.yaml wsc-*.yaml
var files embed.FS

// Files lists the campaign files of the experiments.
func Files() []string {
	names, err := fs.Glob(files, "*.yaml")
	if err != nil {
		panic(err) // the pattern is well-formed
	}
	return names
}

// Campaign is the campaign of a file of this folder.
func Campaign(file string) (*config.Campaign, error) {
	data, err := files.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("no campaign file %s comes with the experiments", file)
	}
	return config.Parse("campaigns/papers/"+file, data, nil)
}
