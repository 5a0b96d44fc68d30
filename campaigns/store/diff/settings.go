package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/config"
)

// Setting is a value of a configuration, by its key.
type Setting struct{ Key, Value string }

// Settings are all that makes the runs of a configuration, beside seed and
// number: in order of their keys. Name, number of runs, the models that are
// only counted, and what is said of a planted fault are left out.
type Settings []Setting

// SettingsOf are the settings of a configuration of c.
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

// add adds the leaves of a tree.
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

// Edit is a setting that two configurations do not share. An empty value
// stands for the default, or for none.
type Edit struct {
	Key string `json:"key"`
	Old string `json:"old"`
	New string `json:"new"`
}

// edits lists in what two configurations differ, by key.
func edits(old, new Settings) []Edit {
	var list []Edit
	for len(old) > 0 || len(new) > 0 {
		switch {
		case len(new) == 0 || len(old) > 0 && old[0].Key < new[0].Key:
			list, old = append(list, Edit{old[0].Key, old[0].Value, ""}), old[1:]
		case len(old) == 0 || new[0].Key < old[0].Key:
			list, new = append(list, Edit{new[0].Key, "", new[0].Value}), new[1:]
		default:
			if old[0].Value != new[0].Value {
				list = append(list, Edit{old[0].Key, old[0].Value, new[0].Value})
			}
			old, new = old[1:], new[1:]
		}
	}
	return list
}
