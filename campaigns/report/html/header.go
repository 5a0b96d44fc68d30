package html

import (
	"fmt"
	"strings"
	"time"

	"ordeal/campaigns"
	"ordeal/check"
	"ordeal/sim"
)

// headerView is the top of the page.
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

// header says what the night came to.
func (n *night) header() headerView {
	total, k := n.sum.Total(), n.countCanaries()
	h := headerView{Campaign: clip(n.sum.Campaign, nameShown)}
	h.Sentence, h.Class = n.verdict(&total, &k)
	h.Details = n.details(&total, &k)
	h.Facts = n.facts(&total)
	elapsed := max(n.sum.Elapsed.Seconds(), 1e-9)
	add := func(value, name, class string) { h.Tiles = append(h.Tiles, tile{value, name, class}) }
	add(group(total.Runs), "runs", "")
	add(group(total.Operations), "operations judged", "")
	add(rate(float64(total.Operations)/elapsed), "operations a second", "")
	class := ""
	if len(n.findings) > 0 {
		class = "bad"
	}
	add(group(len(n.findings)), "different findings", class)
	if k.Faults > 0 {
		class = "good"
		if k.Caught < k.Faults {
			class = "bad"
		}
		add(fmt.Sprintf("%s of %s", group(k.Caught), group(k.Faults)), "canaries caught", class)
	}
	return h
}

// verdict is what the night came to, in one sentence.
func (n *night) verdict(total *campaigns.Row, k *canaryCount) (sentence, class string) {
	var parts []string
	class = "good"
	switch {
	case len(n.findings) > 0:
		parts, class = append(parts, plural(len(n.findings), "different finding")), "bad"
	case total.Runs == 0:
		return "No run has ended.", "open"
	default:
		parts = append(parts, "Nothing found")
	}
	switch missed := len(k.Missed); {
	case k.Faults == 0:
	case missed > 0:
		parts, class = append(parts, plural(missed, "canary")+" missed"), "bad"
	case k.Faults == 1:
		parts = append(parts, "the canary caught")
	default:
		parts = append(parts, fmt.Sprintf("all %d canaries caught", k.Faults))
	}
	if len(k.Loud) > 0 {
		parts, class = append(parts, plural(len(k.Loud), "control")+" failed"), "bad"
	}
	undecided := 0
	for _, answers := range total.Answers {
		undecided += answers[check.Unknown.String()]
	}
	if undecided > 0 {
		parts = append(parts, plural(undecided, "verdict")+" undecided")
	}
	infra := total.Outcomes[sim.Infra]
	if infra > 0 {
		parts = append(parts, plural(infra, "run")+" could not be made")
	}
	if class == "good" && (infra > 0 || undecided > 0 || total.Runs < n.sum.Planned) {
		class = "open"
	}
	last := len(parts) - 1
	if last == 0 {
		return parts[0] + ".", class
	}
	return strings.Join(parts[:last], ", ") + " and " + parts[last] + ".", class
}

// details says what the first sentence leaves open.
func (n *night) details(total *campaigns.Row, k *canaryCount) []string {
	var out []string
	if len(k.Missed) > 0 {
		out = append(out, "No run showed what was planted in "+names(k.Missed)+".")
	}
	if len(k.Loud) > 0 {
		out = append(out, "Runs failed in "+names(k.Loud)+", whose faults nothing should show.")
	}
	if total.Runs < n.sum.Planned {
		out = append(out, fmt.Sprintf("%s of %s planned runs ended.", group(total.Runs), group(n.sum.Planned)))
	}
	if total.Weak > 0 {
		out = append(out, fmt.Sprintf("%s of %s are TSO but not SC.", group(total.Weak), plural(total.Runs, "run")))
	}
	return out
}

// namesShown bounds the names of a sentence.
const namesShown = 5

// names joins names for a sentence.
func names(list []string) string {
	text := strings.Join(list[:min(len(list), namesShown)], ", ")
	if more := len(list) - namesShown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// facts are the particulars of the campaign.
func (n *night) facts(total *campaigns.Row) []fact {
	var out []fact
	add := func(name, value string) { out = append(out, fact{Name: name, Value: value}) }
	add("campaign", clip(n.sum.Campaign, nameShown))
	add("seed", fmt.Sprint(n.sum.Seed))
	if start := n.archive.Head.Started; !start.IsZero() {
		out = append(out, fact{"started", start.UTC().Format("2006-01-02 15:04:05") + " UTC", start.UTC().Format(time.RFC3339)})
	}
	add("duration", span(n.sum.Elapsed))
	add("ended", n.end(total))
	if n.ended == nil {
		add("exit status", "none yet")
	} else {
		add("exit status", exitStatus(n.ended.ExitStatus()))
	}
	return out
}

// end says why the campaign ended.
func (n *night) end(total *campaigns.Row) string {
	switch {
	case n.ended == nil:
		return "not yet, or killed"
	case n.ended.Interrupted:
		return "interrupted"
	case n.ended.BudgetSpent:
		return "its budget was spent"
	case total.Runs < n.sum.Planned:
		return "early"
	}
	return "all runs done"
}

// exitStatus is an exit status and what it says.
func exitStatus(status int) string {
	what := map[int]string{
		campaigns.ExitOK: "nothing found", campaigns.ExitFinding: "a finding", campaigns.ExitUndecided: "undecided", campaigns.ExitInfra: "infrastructure",
	}[status]
	return strings.TrimSuffix(fmt.Sprintf("%d, %s", status, what), ", ")
}
