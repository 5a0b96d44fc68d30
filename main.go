// Ordeal puts memory systems on trial: it generates racy multi-threaded
// programs, runs them, and decides which memory models could have produced
// what happened.
package main

import (
	"os"

	"ordeal/campaigns/cli"
)

func main() {
	os.Exit(cli.Main(os.Args, os.Stdin, os.Stdout, os.Stderr))
}
