package cli

import (
	"github.com/spf13/pflag"

	"ordeal/campaigns/config"
)

// limitFlags adds the flags that bound what one run takes.
func limitFlags(fs *pflag.FlagSet, memory, logSize *config.Size) {
	fs.Var((*sizeFlag)(memory), "memory", "host, gem5: most memory of one run, as in 512MB; 0B means no bound")
	fs.Var((*sizeFlag)(logSize), "log-size", "host, gem5: most that one run may leave on the disk, as in 64kB; 0B means no bound")
}
