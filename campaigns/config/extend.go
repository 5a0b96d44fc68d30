package config

import (
	"errors"
	"fmt"
	"time"

	"gopkg.in/yaml.v3"

	"ordeal/campaigns/internal/messages"
)

// Extension makes a campaign longer.
type Extension struct {
	// Runs are those of the whole campaign, Budget its whole time; 0 leaves them as
	// they are.
	Runs   int
	Budget Duration
}

// ErrExtension means that a campaign cannot be extended so.
var ErrExtension = errors.New("cannot extend the campaign")

// Extend extends the campaign in a file that MarshalYAML wrote: to more runs, the
// first of which are those it had, and more time. Spent is the time that it has taken.
func (x Extension) Extend(name string, text []byte, spent time.Duration) (*Campaign, []byte, error) {
	c, err := ParseRecord(name, text)
	if err != nil {
		return nil, nil, err
	}
	if x.Runs != 0 {
		if x.Runs <= c.Runs() {
			return nil, nil, fmt.Errorf("%w to %s in all: it has %s", ErrExtension, messages.Plural(x.Runs, "run"), messages.Comma(c.Runs()))
		}
		c.Total = x.Runs
	}
	if x.Budget != 0 {
		if c.Budget == 0 {
			return nil, nil, fmt.Errorf("%w to a budget of %v: it has none", ErrExtension, x.Budget)
		}
		if time.Duration(x.Budget) <= spent {
			return nil, nil, fmt.Errorf("%w to a budget of %v in all: it has spent %v", ErrExtension, x.Budget, spent.Round(time.Second))
		}
		c.Budget = x.Budget
	}
	if text, err = yaml.Marshal(c); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	if c, err = ParseRecord(name, text); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrExtension, err)
	}
	return c, text, nil
}
