// Package sarif writes findings as a SARIF 2.1.0 log (OASIS, Static Analysis Results
// Interchange Format, 2020), which code hosts show beside the lines of a change.
package sarif

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"ordeal/campaigns/diagnose"
	"ordeal/campaigns/internal/messages"
	"ordeal/sim"
	"ordeal/sim/slicc/types"
)

// Log is what a campaign or an audit found.
type Log struct {
	// Tool is the version of ordeal, Command the command line; Failed says that it
	// could not do its work.
	Tool       string
	Command    []string
	Started    time.Time
	Failed     bool
	Properties map[string]any
	Results    []Result
	_          struct{}
}

// Result is a finding.
type Result struct {
	Outcome       sim.Outcome
	Title, System string
	Text          string // empty for outcome and title
	State         State
	// Warning says that it may be of no matter; others are errors.
	Warning bool
	// Known says which known issue it is; empty for none.
	Known      string
	At         Location
	Properties map[string]any
}

// State is what a result is against an earlier campaign; empty without one.
type State string

// The states.
const (
	New       State = "new"
	Unchanged State = "unchanged"
	Updated   State = "updated"
	Absent    State = "absent"
)

// Location is a place in a file: Line and Column count from 1, 0 for none. Name is
// that of a transition, state or event.
type Location struct {
	Path         string
	Line, Column int
	Name         string
}

// Sources are a protocol and the directory of its root file, as config.LoadProtocol gives
// them. The protocol is nil where it is not known.
type Sources struct {
	Protocol *types.Protocol
	Dir      string
}

// Locate is the place in the protocol that a failure names, or else the first line of
// the file otherwise.
func (s Sources) Locate(f *sim.Failure, otherwise string) Location {
	if s.Protocol != nil {
		if at, ok := diagnose.Locate(s.Protocol, f); ok {
			return Location{filepath.Join(s.Dir, filepath.FromSlash(at.File)), at.Line, at.Column, at.Name}
		}
	}
	return Location{Path: otherwise, Line: 1}
}

// rules are the outcomes of findings.
var rules = []struct {
	outcome sim.Outcome
	text    string
}{
	{sim.Violation, "The memory model that the machine promises forbids what happened."},
	{sim.Crash, "The simulated machine failed: an invalid transition, a failed assertion."},
	{sim.Deadlock, "Cores wait for what does not come."},
	{sim.Corrupt, "The values that were logged are those of no execution."},
	{sim.Timeout, "A run did not end in time."},
	{sim.Missed, "The campaign no longer catches an injected bug."},
}

// Write writes the log. Files are relative to root, which is absolute and should be
// the repository; those outside have their whole path. What acts on a terminal is
// escaped.
func (l *Log) Write(w io.Writer, root string) error {
	run := runObject{
		Tool: toolObject{driverObject{Name: "ordeal", Version: l.Tool}}, Columns: "unicodeCodePoints", Results: []resultObject{},
		Invocations: []invocationObject{{CommandLine: commandLine(l.Command), Successful: !l.Failed}}, Properties: l.Properties,
	}
	if !l.Started.IsZero() {
		run.Invocations[0].Start = l.Started.UTC().Format(time.RFC3339)
	}
	for _, r := range rules {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, ruleObject{r.outcome.String(), r.outcome.String(), messageObject{r.text}})
	}
	for i := range l.Results {
		run.Results = append(run.Results, l.Results[i].object(root))
	}
	enc := json.NewEncoder(&messages.Escaper{W: w})
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(&logObject{schema, version, []runObject{run}}); err != nil {
		return fmt.Errorf("write SARIF: %w", err)
	}
	return nil
}

func commandLine(words []string) string {
	var quoted []string
	for _, w := range words {
		quoted = append(quoted, messages.Quoted(w))
	}
	return strings.Join(quoted, " ")
}

func (r *Result) object(root string) resultObject {
	x := resultObject{Rule: r.Outcome.String(), Level: "error", Message: messageObject{r.Text}, Baseline: string(r.State), Properties: r.Properties}
	if r.Text == "" {
		x.Message.Text = r.Outcome.Titled(r.Title)
	}
	switch {
	case r.State == Absent:
		x.Level = "note"
	case r.Warning:
		x.Level = "warning"
	}
	for i := range rules {
		if rules[i].outcome == r.Outcome {
			x.Index = i
		}
	}
	sum := sha256.Sum256([]byte(r.Outcome.String() + "\n" + r.Title + "\n" + r.System))
	x.Fingerprints = map[string]string{"ordealFinding/v1": hex.EncodeToString(sum[:16])}
	if r.Known != "" {
		x.Suppressions = []suppressionObject{{"external", r.Known}}
	}
	at := locationObject{Physical: physicalObject{Artifact: artifact(r.At.Path, root)}}
	if r.At.Line > 0 {
		at.Physical.Region = &regionObject{r.At.Line, r.At.Column}
	}
	if r.At.Name != "" {
		at.Logical = []logicalObject{{r.At.Name}}
	}
	x.Locations = []locationObject{at}
	return x
}

// artifact is the address of a file: relative if it is below root.
func artifact(path, root string) artifactObject {
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	rel, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return artifactObject{(&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()}
	}
	return artifactObject{(&url.URL{Path: filepath.ToSlash(rel)}).String()}
}
