package config

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"gopkg.in/yaml.v3"

	"ordeal/campaigns/config/document"
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
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	if x.Runs != 0 {
		if x.Runs <= c.Runs() {
			return nil, nil, fmt.Errorf("%w to %s in all: it has %s", ErrExtension, messages.Plural(x.Runs, "run"), messages.Comma(c.Runs()))
		}
		set(root.Content[0], "runs", strconv.Itoa(x.Runs))
	}
	if x.Budget != 0 {
		if c.Budget == 0 {
			return nil, nil, fmt.Errorf("%w to a budget of %v: it has none", ErrExtension, x.Budget)
		}
		if time.Duration(x.Budget) <= spent {
			return nil, nil, fmt.Errorf("%w to a budget of %v in all: it has spent %v", ErrExtension, x.Budget, spent.Round(time.Second))
		}
		set(root.Content[0], "budget", x.Budget.String())
	}
	if text, err = yaml.Marshal(&root); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	if c, err = ParseRecord(name, text); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrExtension, err)
	}
	return c, text, nil
}

// set sets a key of a mapping.
func set(mapping *yaml.Node, key, value string) {
	if n := document.Child(mapping, key); n != nil {
		n.Value, n.Tag, n.Style = value, "", 0
		return
	}
	mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, &yaml.Node{Kind: yaml.ScalarNode, Value: value})
}
