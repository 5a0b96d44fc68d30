package cli

import (
	"os"

	"github.com/spf13/pflag"

	"ordeal/campaigns/config"
)

// knownFlag is the --known flag: a file of known issues.
type knownFlag struct{ file string }

func (k *knownFlag) flags(f *pflag.FlagSet) {
	f.StringVar(&k.file, "known", "", "file of known issues (the key known of a campaign file), for those of the campaign")
}

// replace reads the file, if one is named, in place of a campaign's issues.
func (k *knownFlag) replace(issues *[]config.Known) error {
	if k.file == "" {
		return nil
	}
	f, err := os.Open(k.file)
	if err != nil {
		return err
	}
	defer f.Close() // only read
	*issues, err = config.ReadKnown(k.file, f)
	return usage(err)
}
