package cli

import "ordeal/campaigns/config"

// sizeFlag is a flag that is a number of bytes.
type sizeFlag config.Size

func (s *sizeFlag) Set(text string) error { return (*config.Size)(s).UnmarshalText([]byte(text)) }

func (s *sizeFlag) String() string {
	text, err := config.Size(*s).MarshalText()
	if err != nil {
		return ""
	}
	return string(text)
}

// Type stands for the value in help.
func (*sizeFlag) Type() string { return "SIZE" }
