package campaigns

import (
	"embed"
	"fmt"
)

//go:embed *.yaml
var ready embed.FS

// Ready is the campaign in the ready-made file of that name, which comes with
// this package.
func Ready(file string, sets ...string) (*Campaign, error) {
	data, err := ready.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("no campaign file %s comes with ordeal", file)
	}
	return Parse(file, data, sets)
}
