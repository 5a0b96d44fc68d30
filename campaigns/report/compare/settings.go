package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/config"
)

// Setting is a value of a configuration, by its key.
type Setting struct{ Key, Value string }

// Settings are all that the runs of a configuration depend on, beside seed and
// number, in order of their keys. Name, number of runs, the models of classify
// and the description of an injected bug are left out.
type Settings []Setting

// SettingsOf returns the settings of a configuration of c.
func SettingsOf(c *config.Campaign, cfg *config.Config) (Settings, error) {
	text, err := json.Marshal(cfg)
	if err != nil {
		return nil, fmt.Errorf("configuration %s: %w", cfg.Name, err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var tree map[string]any
	if err := d.Decode(&tree); err != nil {
		return nil, fmt.Errorf("configuration %s: %w", cfg.Name, err)
	}
	for _, key := range []string{"name", "runs", "classify", "bug"} {
		delete(tree, key)
	}
	tree["sim"] = c.SimOf(cfg)
	tree["timeout"] = time.Duration(c.Timeout).String()
	var s Settings
	s.add(tree)
	slices.SortFunc(s, func(a, b Setting) int { return strings.Compare(a.Key, b.Key) })
	return s, nil
}

func (s *Settings) add(tree map[string]any) {
	for key, value := range tree {
		if sub, ok := value.(map[string]any); ok {
			s.add(sub)
			continue
		}
		text := fmt.Sprint(value)
		if list, ok := value.([]any); ok {
			var items []string
			for _, item := range list {
				items = append(items, fmt.Sprint(item))
			}
			text = strings.Join(items, ",")
		}
		*s = append(*s, Setting{key, text})
	}
}

// String has a line for each setting.
func (s Settings) String() string {
	var b strings.Builder
	for _, x := range s {
		fmt.Fprintf(&b, "%s=%q\n", x.Key, x.Value)
	}
	return b.String()
}

// Edit is a setting that differs between two configurations. An empty value is
// the default.
type Edit struct {
	Key string `json:"key"`
	Old string `json:"old"`
	New string `json:"new"`
}

// edits lists the differences of two configurations by key.
func edits(old, new Settings) []Edit {
	changes := make(map[string]*Edit)
	for _, s := range old {
		changes[s.Key] = &Edit{Key: s.Key, Old: s.Value}
	}
	for _, s := range new {
		if changes[s.Key] == nil {
			changes[s.Key] = &Edit{Key: s.Key}
		}
		changes[s.Key].New = s.Value
	}
	var list []Edit
	for _, key := range slices.Sorted(maps.Keys(changes)) {
		if e := changes[key]; e.Old != e.New {
			list = append(list, *e)
		}
	}
	return list
}
