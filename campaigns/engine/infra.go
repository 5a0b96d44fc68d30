package engine

import (
	"fmt"
	"strings"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/messages"
	"ordeal/sim"
)

// maxInfraErrors is how many runs in a row, by their numbers, may fail because
// of the infrastructure before the campaign gives up.
const maxInfraErrors = 10

// infraErrors counts runs that could not be executed or checked.
type infraErrors struct {
	policy config.OnInfraError
	inRow  int
}

// add counts a run and returns an error if the campaign has to end.
func (c *infraErrors) add(e *journal.Entry) error {
	if e.Outcome != sim.Infra {
		c.inRow = 0
		return nil
	}
	c.inRow++
	why, _, _ := strings.Cut(e.Detail, "\n")
	switch {
	case c.policy == config.InfraStop:
		return fmt.Errorf("stopping at run %d, which could not be executed or checked (on-infra-error: stop): %s: %s", e.Number, messages.EscapeLine(e.Title), why)
	case c.inRow == maxInfraErrors:
		return fmt.Errorf("giving up after %d runs in a row that could not be executed or checked, the last of them run %d: %s: %s", maxInfraErrors, e.Number, messages.EscapeLine(e.Title), why)
	}
	return nil
}
