package summary

import (
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// Command is a command line, for a shell, and what it is for.
type Command struct{ Purpose, Line string }

// Commands say why the runs of a finding failed, reduce and repeat them, by its
// reproducer best, which may be nil; argv0 is how ordeal is called. What models
// evaluate is explained by its history, what the simulator said about a crash or a
// deadlock is in a file.
func (f *Finding) Commands(argv0 string, best *Reproducer) []Command {
	if best == nil || f.Outcome == sim.Missed {
		return nil
	}
	path := messages.QuotedPath(best.Dir)
	var list []Command
	if diagnosis := run.Dir(best.Dir).Path(run.DiagnosisFile); run.Exists(diagnosis) {
		list = append(list, Command{"log", messages.QuotedPath(diagnosis)})
	}
	if f.Outcome == sim.Violation {
		list = append(list, Command{"explain", argv0 + " check --explain " + path})
	}
	if f.Traced {
		list = append(list, Command{"trace", argv0 + " repro --trace " + path})
	}
	if !best.Reduced {
		list = append(list, Command{"reduce", argv0 + " reduce " + path})
	}
	return append(list, Command{"repeat", argv0 + " repro " + path})
}
