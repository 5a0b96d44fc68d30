package cli

import "ordeal/campaigns"

// sizeFlag is a flag that is a number of bytes.
type sizeFlag campaigns.Size

func (s *sizeFlag) Set(text string) error { return (*campaigns.Size)(s).UnmarshalText([]byte(text)) }

func (s *sizeFlag) String() string {
	text, err := campaigns.Size(*s).MarshalText()
	if err != nil {
		return ""
	}
	return string(text)
}

// Type stands for the value in help.
func (*sizeFlag) Type() string { return "SIZE" }
