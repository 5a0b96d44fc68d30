package cli

import "ordeal/campaigns/config"

// shardFlag is a flag that names a part of a campaign.
type shardFlag config.Shard

func (s *shardFlag) Set(text string) error {
	shard, err := config.ParseShard(text)
	*s = shardFlag(shard)
	return err
}

func (s *shardFlag) String() string { return config.Shard(*s).String() }

// Type stands for the value in help.
func (*shardFlag) Type() string { return "I/N" }
