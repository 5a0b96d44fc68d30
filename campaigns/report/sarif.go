package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/diagnose"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report/compare"
	"ordeal/campaigns/run"
	"ordeal/sim"
	"ordeal/sim/protocols"
	"ordeal/sim/slicc/types"
)

// object is an object of SARIF 2.1.0 (OASIS, Static Analysis Results Interchange
// Format, 2020), which code hosts show beside the lines of a change.
type object map[string]any

// rules are the outcomes of findings.
var rules = []struct {
	outcome sim.Outcome
	text    string
}{
	{sim.Violation, "The memory model that the machine promises forbids what happened."},
	{sim.Crash, "The simulated machine failed: an invalid transition, a failed assertion."},
	{sim.Deadlock, "Cores wait, and nothing is in flight that could end that."},
	{sim.Livelock, "Messages are sent for ever, and no access ends."},
	{sim.Starvation, "An access waits while others end."},
	{sim.Corrupt, "The log of a run is torn or truncated."},
	{sim.Timeout, "A run did not end in time."},
	{sim.Missed, "The campaign no longer catches an injected bug."},
}

// states are the words of SARIF for what a finding is against an earlier campaign.
var states = map[compare.Change]string{compare.New: "new", compare.Recurring: "unchanged", compare.Flaky: "updated", compare.Gone: "absent"}

// WriteSARIF writes the findings of a campaign, ended or not, as a SARIF log. The
// location of a finding is that of the transition, state, event or statement of its
// protocol that the failure names (package diagnose), or else the protocol's root
// file, or the campaign's file; those of a protocol that comes with ordeal have no
// directory. Files are relative to root, which is absolute and should be the
// repository; those outside have their whole path. Known issues are suppressed;
// against an earlier campaign results have a state: new, unchanged, updated where
// they are flaky, and absent. What acts on a terminal is escaped.
func WriteSARIF(w io.Writer, a *journal.Archive, b *compare.Diff, root string) error {
	s, err := summary.Read(a)
	if err != nil {
		return err
	}
	x := &locator{archive: a, root: root, protocols: make(map[string]located)}
	results := []object{}
	for i := range s.Findings {
		f := &s.Findings[i]
		text := fmt.Sprintf("%s: %s of seed %d on %s", f.Outcome.Titled(f.Title), messages.Plural(f.Runs, "run"), s.Seed, f.System)
		if f.Reduction != nil {
			text += "; " + f.Reduction.String()
		}
		for _, c := range Commands(a.Dir, f, f.Best) {
			text += "\n" + c.Line
		}
		var names []string
		for _, c := range f.Configs {
			names = append(names, c.Config)
		}
		r := result(f.Key(), "error", text, states[b.Change(f)], x.locate(&f.Failure, names, run.Dir(f.Dir)))
		r["properties"] = object{"runs": f.Runs, "firstRun": f.First, "configurations": names}
		if f.Known != nil {
			r["suppressions"] = []object{{"kind": "external", "justification": f.Known.String()}}
		}
		results = append(results, r)
	}
	for _, f := range b.Gone() {
		key := summary.FindingKey{Title: f.Title, System: f.System, Outcome: f.Outcome}
		results = append(results, result(key, "note", f.Outcome.Titled(f.Title), states[compare.Gone], x.locate(&f.Old.Failure, f.Configs, "")))
	}
	var words []string
	for _, w := range a.Header.Command {
		words = append(words, messages.Quoted(w))
	}
	invocation := object{"commandLine": strings.Join(words, " "), "executionSuccessful": a.Header.End != journal.EndInfra}
	if !a.Header.Started.IsZero() {
		invocation["startTimeUtc"] = a.Header.Started.UTC().Format(time.RFC3339)
	}
	total := s.Total()
	log := sarifLog(a.Header.Tools["ordeal"], results, object{
		"invocations": []object{invocation},
		"properties":  object{"campaign": s.Campaign, "seed": fmt.Sprint(s.Seed), "runs": total.Runs, "operations": total.Operations},
	})
	if err := encode(w, log); err != nil {
		return fmt.Errorf("report %s: %w", a.Dir, err)
	}
	return nil
}

func encode(w io.Writer, log object) error {
	enc := json.NewEncoder(&messages.Escaper{W: w})
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(log); err != nil {
		return fmt.Errorf("write SARIF: %w", err)
	}
	return nil
}

// Located is a finding that is not of a campaign, but of a protocol in a repository. Paths are those in it.
type Located struct {
	Outcome, Title string
	Failure        sim.Failure
	// SLICC is a copy of the root file, Protocol its path, and Text the message.
	SLICC, Protocol, Text string
	// Change says what it is against another version: compare.New, or compare.Recurring, which is but a note.
	Change compare.Change
	// Path is the path of another file of the protocol.
	Path func(file string) string
	_    struct{}
}

// WriteLocated writes findings as a SARIF log of a version of ordeal, as WriteSARIF does.
func WriteLocated(w io.Writer, version string, findings []Located) error {
	results := []object{}
	for i := range findings {
		f := &findings[i]
		at := placed(f.Protocol, object{"startLine": 1})
		if p, _, err := config.LoadProtocol(config.SimBuiltin, &config.Config{Machine: config.Machine{SLICC: f.SLICC}}); err == nil {
			if place, ok := locate(p, &f.Failure, func(file string, region object) object { return placed(f.Path(file), region) }); ok {
				at = place
			}
		}
		level := "error"
		if f.Change != compare.New {
			level = "note"
		}
		var outcome sim.Outcome
		_ = outcome.UnmarshalText([]byte(f.Outcome)) // else unknown
		key := summary.FindingKey{Title: f.Title, System: f.Protocol, Outcome: outcome}
		results = append(results, result(key, level, f.Text, states[f.Change], at))
	}
	return encode(w, sarifLog(version, results, object{}))
}

// placed is a location in a file of the repository.
func placed(path string, region object) object {
	return object{"physicalLocation": object{"artifactLocation": object{"uri": (&url.URL{Path: path}).String()}, "region": region}}
}

// locate is the location in a protocol that a failure names.
func locate(p *types.Protocol, f *sim.Failure, file func(name string, region object) object) (object, bool) {
	at, ok := diagnose.Locate(p, f)
	if !ok {
		return nil, false
	}
	region := object{"startLine": at.Line}
	if at.Column > 0 {
		region["startColumn"] = at.Column
	}
	place := file(at.File, region)
	if at.Name != "" {
		place["logicalLocations"] = []object{{"fullyQualifiedName": at.Name}}
	}
	return place, true
}

// sarifLog is a log of results of a version of ordeal, with properties of its run.
func sarifLog(version string, results []object, run object) object {
	driver := object{"name": "ordeal"}
	if version != "" {
		driver["version"] = version
	}
	var ids []object
	for _, r := range rules {
		ids = append(ids, object{"id": r.outcome.String(), "name": r.outcome.String(), "shortDescription": object{"text": r.text}})
	}
	driver["rules"] = ids
	run["tool"], run["columnKind"], run["results"] = object{"driver": driver}, "unicodeCodePoints", results
	return object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []object{run}}
}

// result is a finding at a location; state is empty without an earlier campaign.
func result(key summary.FindingKey, level, text, state string, at object) object {
	rule := 0
	for i := range rules {
		if rules[i].outcome == key.Outcome {
			rule = i
		}
	}
	sum := sha256.Sum256([]byte(key.Outcome.String() + "\n" + key.Title + "\n" + key.System))
	r := object{
		"ruleId": key.Outcome.String(), "ruleIndex": rule, "level": level, "message": object{"text": text}, "locations": []object{at},
		"partialFingerprints": object{"ordealFinding/v1": hex.EncodeToString(sum[:16])},
	}
	if state != "" {
		r["baselineState"] = state
	}
	return r
}

// locator finds the locations of findings.
type locator struct {
	archive   *journal.Archive
	root      string
	protocols map[string]located // by configuration
}

// located is a protocol and its files; nil if it is not known.
type located struct {
	*types.Protocol
	source protocols.Source
}

// locate is the location of a finding, of which dir is the first run.
func (x *locator) locate(f *sim.Failure, configs []string, dir run.Dir) object {
	all := x.archive.Campaign.Configs
	for _, name := range configs {
		i := slices.IndexFunc(all, func(c config.Config) bool { return c.Name == name })
		if i < 0 {
			continue
		}
		p, ok := x.protocols[name]
		if !ok {
			p = x.load(&all[i], dir)
			x.protocols[name] = p
		}
		if p.Protocol != nil {
			if place, ok := locate(p.Protocol, f, func(name string, region object) object { return x.file(p.source.Where(name), region) }); ok {
				return place
			}
		}
		if all[i].SLICC != "" {
			return x.file(all[i].SLICC, object{"startLine": 1})
		}
	}
	return x.file(x.archive.Path(journal.CampaignFile), object{"startLine": 1})
}

// file is a location in a file, whose address is relative if it is below the root.
func (x *locator) file(path string, region object) object {
	if !filepath.IsAbs(path) {
		path = filepath.Join(x.root, path)
	}
	if rel, err := filepath.Rel(x.root, path); err == nil && filepath.IsLocal(rel) {
		return placed(filepath.ToSlash(rel), region)
	}
	return object{"physicalLocation": object{"artifactLocation": object{"uri": (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()}, "region": region}}
}

// load reads the protocol that a run was made with: its copy in the campaign where
// the files have changed.
func (x *locator) load(c *config.Config, dir run.Dir) located {
	recorded := *c
	if dir != "" {
		if spec, err := dir.Spec(); err == nil {
			if kept, err := run.RecordedProtocol(dir, spec); err == nil && kept != "" {
				recorded.SLICC, recorded.Builtins, recorded.SLICCPath = spec.Config.SLICC, spec.Config.Builtins, spec.Config.SLICCPath
			}
		}
	}
	p, source, err := config.LoadProtocol(x.archive.Campaign.SimOf(c), &recorded)
	if err != nil {
		return located{} // without its files there are no places in them
	}
	if recorded.SLICC != c.SLICC {
		source = c.Source() // the lines of the copy, in the file that was copied
	}
	return located{p, source}
}
