package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"ordeal/campaigns/config/document"
	"ordeal/campaigns/diagnose"
)

// Known is a known issue: a finding that is reported apart, and does not make a
// campaign fail.
type Known struct {
	Title  string `yaml:"title" json:"title" schema:"required" help:"title of the finding, in which * stands for any text"`
	System string `yaml:"system" json:"system,omitempty" schema:"empty=any" help:"system under test, as findings name it, as builtin mesi-two-level"`
	Note   string `yaml:"note" json:"note,omitempty" help:"what is known about it"`
	// Versions are patterns of tools with a version, as a campaign records them.
	Versions []string `yaml:"versions" json:"versions,omitempty" schema:"empty=any" help:"versions of tools, as the record of a campaign has them, with which it is known: \"slicc MI_example.slicc sha256:0c5d*\"; * stands for any text"`
	Tracker  string   `yaml:"tracker" json:"tracker,omitempty" help:"its number in a tracker"`
	Until    Date     `yaml:"until" json:"until,omitzero" schema:"zero=no end" help:"last day, as 2027-03-31, on which it is known: campaigns that begin later report it as a finding"`
}

// Date is a day, as "2027-03-31".
type Date struct{ time.Time }

// UnmarshalText reads a day.
func (d *Date) UnmarshalText(text []byte) (err error) {
	if d.Time, err = time.Parse(time.DateOnly, string(text)); err != nil {
		return fmt.Errorf("%q is not a day: want as 2027-03-31", text)
	}
	return nil
}

// MarshalText is the form that UnmarshalText reads.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.Format(time.DateOnly)), nil }

// covers reports whether a finding with versions of tools is the issue, on whatever day.
func (k *Known) covers(title, system string, tools map[string]string) bool {
	if len(k.Versions) > 0 && !slices.ContainsFunc(slices.Sorted(maps.Keys(tools)), func(name string) bool {
		return slices.ContainsFunc(strings.Split(tools[name], "; "), func(version string) bool {
			return slices.ContainsFunc(k.Versions, func(v string) bool { return diagnose.Matches(v, name+" "+version) })
		})
	}) {
		return false
	}
	return diagnose.Matches(k.Title, title) && (k.System == "" || k.System == system)
}

// expired reports whether it is not known any more in a campaign that began at a time.
func (k *Known) expired(began time.Time) bool {
	return !k.Until.IsZero() && !began.UTC().Before(k.Until.AddDate(0, 0, 1))
}

// String is the tracker's number, the end, the versions and the note, if they are given.
func (k *Known) String() string {
	if k == nil {
		return ""
	}
	var parts []string
	if k.Tracker != "" {
		parts = append(parts, k.Tracker)
	}
	if !k.Until.IsZero() {
		parts = append(parts, "until "+k.Until.Format(time.DateOnly))
	}
	if len(k.Versions) > 0 {
		parts = append(parts, "of "+strings.Join(k.Versions, ", "))
	}
	if k.Note != "" {
		parts = append(parts, k.Note)
	}
	return strings.Join(parts, ", ")
}

// FindKnown is the first of the issues that covers a finding of a campaign that began at
// a time, with versions of tools; nil if none does. Then expired is the first that did.
func FindKnown(issues []Known, title, system string, began time.Time, tools map[string]string) (known, expired *Known) {
	for i := range issues {
		switch k := &issues[i]; {
		case !k.covers(title, system, tools):
		case !k.expired(began):
			return k, nil
		case expired == nil:
			expired = k
		}
	}
	return nil, expired
}

// ReadKnown reads a file of known issues: the key known of a campaign file, and
// nothing else. The error names the file and lines.
func ReadKnown(name string, r io.Reader) ([]Known, error) {
	var file struct {
		Known []Known `yaml:"known"`
	}
	text, err := document.Bounded(r)
	if err == nil && len(text) > document.MaxSize {
		err = fmt.Errorf("more than %d bytes", document.MaxSize)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	for i := range file.Known {
		if file.Known[i].Title == "" {
			return nil, fmt.Errorf("read %s: known.%d.title is missing", name, i)
		}
	}
	return file.Known, nil
}
