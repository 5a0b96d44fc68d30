package command

import (
	"github.com/spf13/pflag"

	"ordeal/campaigns/config"
)

// KnownFlag is the --known flag: a file of known issues.
type KnownFlag struct{ file string }

// Flags adds the flag.
func (k *KnownFlag) Flags(f *pflag.FlagSet) {
	f.StringVar(&k.file, "known", "", "file of known issues (the key known of a campaign file), for those of the campaign")
}

// Replace reads the file, if one is named, in place of a campaign's issues.
func (k *KnownFlag) Replace(e *Env, issues *[]config.Known) error {
	if k.file == "" {
		return nil
	}
	f, _, err := e.Open(k.file)
	if err != nil {
		return err
	}
	defer f.Close() // only read
	*issues, err = config.ReadKnown(k.file, f)
	return Usage(err)
}
