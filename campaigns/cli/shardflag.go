package cli

import "ordeal/campaigns"

// shardFlag is a flag that names a part of a campaign.
type shardFlag campaigns.Shard

func (s *shardFlag) Set(text string) error {
	shard, err := campaigns.ParseShard(text)
	*s = shardFlag(shard)
	return err
}

func (s *shardFlag) String() string { return campaigns.Shard(*s).String() }

// Type stands for the value in help.
func (*shardFlag) Type() string { return "I/N" }
