// Package campaigns holds the ready-made campaign files and the catalogue of
// known bugs. The packages below it run campaigns.
package campaigns

import "embed"

// Files are the YAML files of this folder, by name.
//
//go:embed *.yaml
var Files embed.FS
