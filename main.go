// Ordeal tests memory systems: it generates racy multi-threaded programs, runs
// them, and decides which memory models could have produced what happened.
package main

import (
	"embed"
	"os"

	"ordeal/campaigns/cli"
)

// manual has the README.md of each layer, which "ordeal help TOPIC" prints.
//
//go:embed README.md */README.md */*/README.md
var manual embed.FS

func main() {
	os.Exit(cli.Main(os.Args, manual, os.Stdin, os.Stdout, os.Stderr))
}
