// Ordeal-man writes a man page for each command of ordeal into the directory
// that its argument names.
package main

import (
	"fmt"
	"os"

	"ordeal/campaigns/cli"
	"ordeal/campaigns/cli/man"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: ordeal-man DIR")
		os.Exit(2)
	}
	if err := man.Write(cli.Command(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "ordeal-man:", err)
		os.Exit(4)
	}
}
