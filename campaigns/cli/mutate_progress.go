package cli

import (
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/mutation"
	"ordeal/campaigns/report/progress"
)

// mutantProgress shows how far mutants are measured or explored, one protocol after
// the other.
type mutantProgress struct {
	*progress.Line
	what             string // is counted
	protocol         string // in work
	targets, started int    // protocols
	done, of         int    // of the protocol
}

// showMutants begins to show progress with a number of protocols; Close ends it.
func showMutants(e *env, targets int, what string) *mutantProgress {
	return &mutantProgress{Line: e.Progress("compile the protocol"), what: what, targets: targets}
}

// begin begins with the mutants of a protocol.
func (p *mutantProgress) begin(t *mutation.Target, results int) {
	p.protocol, p.done, p.of = t.Name, 0, results
	p.started++
	p.Show("%s, protocol %d of %d: without a mutant first", p.protocol, p.started, p.targets)
}

// add counts a result.
func (p *mutantProgress) add(mutant string) {
	p.done++
	p.Show("%s, protocol %d of %d: %s of %s %s, now %s",
		p.protocol, p.started, p.targets, messages.Comma(p.done), messages.Comma(p.of), p.what, mutant)
}
