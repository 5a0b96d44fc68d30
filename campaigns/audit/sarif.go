package audit

import (
	"fmt"
	"io"
	"strings"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report/sarif"
	"ordeal/sim"
)

// WriteSARIF writes the findings at the lines of the protocol's files that they are
// about; files are relative to root. Those that need conditions which gem5's own
// configurations do not have are warnings. Command is the command line, version
// that of ordeal.
func (r *Report) WriteSARIF(w io.Writer, root, version string, command []string) error {
	log := sarif.Log{Tool: version, Command: command, Properties: map[string]any{"protocol": r.Protocol, "seed": fmt.Sprint(r.Seed), "operations": r.Operations}}
	var sources sarif.Sources
	for i, f := range r.Findings {
		if i == 0 {
			cfg := config.Config{Name: r.Protocol, Machine: f.Machine}
			if p, dir, err := config.LoadProtocol(config.SimBuiltin, &cfg); err == nil {
				sources = sarif.Sources{Protocol: p, Dir: dir}
			}
		}
		var outcome sim.Outcome
		if err := outcome.UnmarshalText([]byte(f.Outcome)); err != nil {
			return fmt.Errorf("finding %q: %w", f.Title, err)
		}
		text := outcome.Titled(f.Title) + ", found by " + string(f.Engine)
		if len(f.Conditions) > 0 {
			text += ", only with " + strings.Join(f.Conditions, ", ")
		}
		if ids := f.IDs(); ids != "" {
			text += ", known of " + r.Base + ": " + ids
		}
		if f.Dir != "" {
			text += "\nordeal repro --trace " + messages.QuotedPath(f.Dir)
		}
		log.Results = append(log.Results, sarif.Result{
			Outcome: outcome, Title: f.Title, System: r.Protocol, Text: text, Warning: len(f.Conditions) > 0, At: sources.Locate(&f.Failure, f.Machine.SLICC),
		})
	}
	return log.Write(w, root)
}
