package html

import (
	"fmt"
	"strings"
	"time"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/check"
	"ordeal/sim"
)

type headerView struct {
	Campaign, Sentence, Class string
	// Details are further sentences.
	Details []string
	Facts   []fact
	Tiles   []tile
}

// fact is a name and a value; Time is the same for machines, where the value
// is a time.
type fact struct{ Name, Value, Time string }

// tile is a number to be seen from afar.
type tile struct{ Value, Name, Class string }

func (d *campaignData) header() headerView {
	total, k := d.sum.Total(), d.sum.Canaries()
	h := headerView{Campaign: clip(d.sum.Campaign, nameShown)}
	h.Sentence, h.Class = d.verdict(&total, k)
	h.Details = d.details(&total, k)
	h.Facts = d.facts()
	add := func(value, name, class string) { h.Tiles = append(h.Tiles, tile{value, name, class}) }
	tone := func(bad bool) string {
		if bad {
			return "bad"
		}
		return "good"
	}
	add(messages.Comma(total.Runs), "runs", "")
	add(messages.Comma(total.Operations), "operations checked", "")
	add(messages.Rate(float64(total.Operations)/d.sum.Spent().Seconds()), "operations a second", "")
	add(messages.Comma(d.findings()), "different findings", tone(d.findings() > 0))
	if all := k.Of(); all > 0 {
		class := tone(len(k[summary.StatusMissed]) > 0)
		if len(k[summary.StatusPending]) > 0 && class == "good" {
			class = ""
		}
		add(fmt.Sprintf("%s of %s", messages.Comma(k.Caught()), messages.Comma(all)), "canaries caught", class)
	}
	return h
}

// verdict is the result of the campaign in one sentence.
func (d *campaignData) verdict(total *summary.Row, k summary.Canaries) (sentence, class string) {
	var parts []string
	class = "good"
	found, missed := d.findings(), len(k[summary.StatusMissed])
	switch {
	case found > 0:
		parts, class = append(parts, messages.Plural(found, "finding")), "bad"
	case total.Runs == 0:
		return "No run has ended.", "open"
	default:
		parts = append(parts, "Nothing found")
	}
	switch caught := k.Caught(); {
	case missed > 0:
		parts, class = append(parts, messages.Plural(missed, "canary")+" missed"), "bad"
	case caught < k.Of():
		text := fmt.Sprintf("%d of %s caught", caught, messages.Plural(k.Of(), "canary"))
		if d.archive.Header.End == "" {
			text += " so far"
		}
		parts = append(parts, text)
	case caught == 1:
		parts = append(parts, "the canary caught")
	case caught > 0:
		parts = append(parts, fmt.Sprintf("all %d canaries caught", caught))
	}
	undecided := 0
	for _, answers := range total.Answers {
		undecided += answers[check.Unknown.String()]
	}
	if undecided > 0 {
		parts = append(parts, messages.Plural(undecided, "verdict")+" undecided")
	}
	infra := total.Outcomes[sim.Infra]
	if infra > 0 {
		parts = append(parts, messages.Plural(infra, "run")+" ended with an infrastructure error")
	}
	if class == "good" && (infra > 0 || undecided > 0 || total.Runs < d.sum.Planned) {
		class = "open"
	}
	last := len(parts) - 1
	if last == 0 {
		return parts[0] + ".", class
	}
	return strings.Join(parts[:last], ", ") + " and " + parts[last] + ".", class
}

// details says what the first sentence leaves open.
func (d *campaignData) details(total *summary.Row, k summary.Canaries) []string {
	var out []string
	if missed := k[summary.StatusMissed]; len(missed) > 0 {
		out = append(out, "No run showed the bugs of "+names(missed)+".")
	}
	if loud := k[summary.StatusKilled]; len(loud) > 0 {
		out = append(out, "Runs failed in "+names(loud)+", whose bugs cannot show.")
	}
	if total.Runs < d.sum.Planned {
		out = append(out, fmt.Sprintf("%s of %s planned runs ended.", messages.Comma(total.Runs), messages.Comma(d.sum.Planned)))
	}
	if tested := d.sum.Tested(); tested.Weak > 0 {
		of := messages.Plural(tested.Runs, "run")
		if len(d.canaries) > 0 {
			of += " without injected bugs"
		}
		out = append(out, fmt.Sprintf("%s of %s are TSO but not SC.", messages.Comma(tested.Weak), of))
	}
	return out
}

const namesShown = 5

func names(list []string) string {
	var shown []string
	for _, name := range list[:min(len(list), namesShown)] {
		shown = append(shown, clip(name, nameShown))
	}
	text := strings.Join(shown, ", ")
	if more := len(list) - namesShown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func (d *campaignData) facts() []fact {
	head := &d.archive.Header
	var out []fact
	add := func(name, value string) {
		if value != "" {
			out = append(out, fact{Name: name, Value: value})
		}
	}
	add("campaign", clip(d.sum.Campaign, nameShown))
	add("shard", head.Shard.String())
	if len(head.Shards) > 0 {
		add("merged from", messages.Plural(len(head.Shards), "shard"))
	}
	add("seed", fmt.Sprint(d.sum.Seed))
	if start := head.Started; !start.IsZero() {
		out = append(out, fact{"started", start.UTC().Format("2006-01-02 15:04:05") + " UTC", start.UTC().Format(time.RFC3339)})
	}
	add("duration", span(d.sum.Elapsed))
	if more := d.sum.Elapsed - d.sum.Spent(); d.reduced() && span(d.sum.Spent()) != span(d.sum.Elapsed) {
		add("reductions after the last run", span(more))
	}
	add("end", d.end())
	if head.End == "" {
		add("exit status", "none yet")
	} else {
		add("exit status", exitStatus(d.sum.ExitStatus()))
	}
	return out
}

func (d *campaignData) end() string {
	switch end := d.archive.Header.End; end {
	case "":
		return "not yet, or killed"
	case journal.EndComplete:
		return "all runs done"
	case journal.EndStopped:
		return "stopped at " + clip(d.sum.Stopped, titleShown)
	case journal.EndBudget:
		return "its budget was spent"
	case journal.EndInterrupted:
		return "interrupted"
	case journal.EndInfra:
		return "too many infrastructure errors"
	default:
		return clip(string(end), nameShown)
	}
}

func exitStatus(status int) string {
	return fmt.Sprintf("%d, %s", status, summary.ExitNames[status])
}
