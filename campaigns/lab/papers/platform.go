package papers

import (
	"context"
	"fmt"
	"slices"

	"ordeal/campaigns/config"
	"ordeal/sim/gem5"
	"ordeal/sim/host"
)

func machine(ctx context.Context) string { return new(host.Runner).Version(ctx) }

// platform is a simulator that the configurations of a campaign can run on.
type platform struct {
	name string
	gem5 *config.Gem5 // nil: the embedded simulator
	// protocols are those of the binary, by gem5's names.
	protocols []string
}

func (p *platform) embedded() bool { return p.gem5 == nil }

// platforms lists the embedded simulator and the gem5 binaries.
func (b *bench) platforms(ctx context.Context) ([]platform, error) {
	all := []platform{{name: "embedded simulator"}}
	for i := range b.Gem5 {
		g := &b.Gem5[i]
		info, err := gem5.Probe(ctx, g.Binary)
		if err != nil {
			return nil, err
		}
		all = append(all, platform{name: "gem5: " + info.String(), gem5: g, protocols: info.Protocols})
	}
	return all, nil
}

// gem5Names are gem5's names of the embedded protocols.
var gem5Names = map[string]string{
	"mi": "MI_example", "mesi-two-level": "MESI_Two_Level", "moesi-hammer": "MOESI_hammer", "moesi-amd-base": "MOESI_AMD_Base",
}

// campaign is the campaign on this platform, nil if it has nothing for it: on
// a gem5 the configurations of its protocols without an injected bug, with the
// same programs and gem5's own latencies. In-order cores become timing CPUs,
// which keep one access in flight, the others out-of-order ones.
func (p *platform) campaign(c *config.Campaign) *config.Campaign {
	if p.embedded() {
		return c
	}
	out := *c
	out.Configs = nil
	for _, cfg := range c.Configs {
		name := gem5Names[cfg.Protocol]
		if cfg.Bug != nil || !slices.Contains(p.protocols, name) {
			continue
		}
		cpu := "o3"
		if cfg.Core == "inorder" {
			cpu = "timing"
		}
		g := *p.gem5
		g.CPU = cpu
		cfg.Sim, cfg.Gem5 = config.SimGem5, g
		cfg.Machine = config.Machine{Protocol: name, Dirs: cfg.Dirs, L2Banks: cfg.L2Banks}
		out.Configs = append(out.Configs, cfg)
	}
	if len(out.Configs) == 0 {
		return nil
	}
	return &out
}

// configName says which configuration and run a message is about.
func configName(r *sample) string { return fmt.Sprintf("%s, run %d", r.config.Name, r.number) }
