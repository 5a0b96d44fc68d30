package progress

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"ordeal/campaigns/internal/messages"
	"ordeal/sim"
)

// labelWidth is the width of the names of lines.
const labelWidth = 10

// lines is the state as lines of at most width columns.
func (p *Status) lines(now time.Time, width int) []string {
	label := func(name string) string { return fmt.Sprintf("%-*s", labelWidth, name) }
	lines := []string{p.bar(now, width), label("speed") + p.speed(now), label("outcomes") + p.ended()}
	if p.Canaries > 0 {
		lines = append(lines, label("canaries")+p.canaryText())
	}
	name := "coverage"
	for _, text := range flow(p.coverageTexts(), width-labelWidth) {
		lines = append(lines, label(name)+text)
		name = ""
	}
	last := "nothing"
	if p.found > 0 {
		last = messages.Plural(p.found, "finding")
	}
	if p.last != "" {
		ago := ""
		if !p.lastAt.IsZero() {
			ago = " " + Span(now.Sub(p.lastAt)) + " ago"
		}
		last += ", last" + ago + ": " + p.last
	}
	lines = append(lines, label("found")+last)
	for i := range lines {
		lines[i] = cut(messages.EscapeLine(lines[i]), width)
	}
	return lines
}

// line is the state on one line.
func (p *Status) line(now time.Time) string {
	parts := []string{p.counts() + p.percent(), p.speed(now)}
	if left := p.left(now); left != "" {
		parts = append(parts, left)
	}
	parts = append(parts, p.ended())
	if p.Canaries > 0 {
		parts = append(parts, "canaries: "+p.canaryText())
	}
	if p.found > 0 {
		parts = append(parts, messages.Plural(p.found, "finding"))
	}
	return strings.Join(parts, "; ")
}

// barLeast is the least width of a bar that is shown, in columns.
const barLeast = 8

// bar is the first line: how much is done, and when the rest will be.
func (p *Status) bar(now time.Time, width int) string {
	before, after := p.counts(), p.percent()
	if left := p.left(now); left != "" {
		after += ", " + left
	}
	room := width - utf8.RuneCountInString(before) - utf8.RuneCountInString(after) - 1
	if room < barLeast {
		return before + after
	}
	share, _ := p.share()
	done := int(share * float64(room))
	return before + " " + strings.Repeat("█", done) + strings.Repeat("░", room-done) + after
}

func (p *Status) counts() string {
	if p.campaign.Audit != nil {
		return messages.Plural(p.Runs, "run")
	}
	return messages.Comma(p.Runs) + " of " + messages.Plural(p.Planned, "run")
}

// share is how much of the campaign is done, from 0 to 1, and of is " of
// budget" where that will end it before its runs do.
func (p *Status) share() (share float64, of string) {
	byRuns, byBudget := 0.0, 0.0
	if p.Planned > 0 {
		byRuns = float64(p.Runs) / float64(p.Planned)
	}
	budget := time.Duration(p.campaign.Budget)
	if budget > 0 {
		byBudget = min(float64(p.Spent)/float64(budget), 1)
	}
	runs, known := p.runsLeft()
	if budget > 0 && (known && budget-p.Spent < runs || !known && byBudget > byRuns) {
		return byBudget, " of budget"
	}
	return byRuns, ""
}

func (p *Status) percent() string {
	share, of := p.share()
	return fmt.Sprintf(" %.1f %%%s", 100*share, of)
}

// runsLeft is how long the rest of the runs will take; false where nothing is
// known.
func (p *Status) runsLeft() (time.Duration, bool) {
	rate, _, ok := p.pace.rates()
	if !ok || rate <= 0 || p.campaign.Audit != nil {
		return 0, false
	}
	return time.Duration(float64(p.Planned-p.Runs) / rate * float64(time.Second)), true
}

// left says how long the campaign will go on: until its runs are done, or its
// budget is spent.
func (p *Status) left(now time.Time) string {
	d, known := p.leftFor(now)
	if !known {
		return ""
	}
	return Span(d) + " left"
}

// leftFor is the time that left writes; false where it is not known.
func (p *Status) leftFor(now time.Time) (left time.Duration, known bool) {
	least, known := p.runsLeft()
	if budget := time.Duration(p.campaign.Budget); budget > 0 && !p.noted.IsZero() {
		if rest := budget - p.Spent; !known || rest < least {
			least, known = rest, true
		}
	}
	return max(0, least-now.Sub(p.noted)), known
}

// speed says how fast the campaign goes, over the last minute.
func (p *Status) speed(now time.Time) string {
	spent := p.Spent
	if !p.noted.IsZero() {
		spent += now.Sub(p.noted)
	}
	text := Span(spent) + " spent"
	if runs, operations, ok := p.pace.rates(); ok {
		text = fmt.Sprintf("%s runs/s, %s operations/s, %s", messages.Rate(runs), messages.Rate(operations), text)
	}
	return text
}

// ended says how runs ended.
func (p *Status) ended() string {
	parts := []string{messages.Comma(p.Outcomes[sim.Passed.String()]) + " passed"}
	for _, o := range []sim.Outcome{sim.Violation, sim.Corrupt, sim.Crash, sim.Deadlock, sim.Livelock, sim.Starvation, sim.Timeout} {
		if n := p.Outcomes[o.String()]; n > 0 {
			parts = append(parts, messages.Comma(n)+" "+o.String())
		}
	}
	if n := p.Outcomes[sim.Infra.String()]; n > 0 {
		parts = append(parts, messages.Comma(n)+" not made")
	}
	return strings.Join(parts, ", ")
}

func (p *Status) canaryText() string {
	text := fmt.Sprintf("%d of %d caught", p.Caught, p.Canaries)
	if len(p.Missed) > 0 {
		text += "; missed: " + strings.Join(p.Missed, ", ")
	}
	return text
}

// coverageTexts name the protocols and how much of each was covered: rows of
// its table in per cent where it is known whole, else their number.
func (p *Status) coverageTexts() []string {
	var parts []string
	for _, c := range p.Coverage {
		if c.Of > 0 {
			// Rounded down: 100 % means all.
			parts = append(parts, fmt.Sprintf("%s %.1f %%", c.Protocol, math.Floor(1000*float64(c.Taken)/float64(c.Of))/10))
		} else {
			parts = append(parts, fmt.Sprintf("%s %s", c.Protocol, messages.Plural(c.Taken, "row")))
		}
	}
	return parts
}

// flow joins texts by commas to lines of at most width columns, as far as the
// texts are not longer.
func flow(texts []string, width int) []string {
	var lines []string
	for i, text := range texts {
		if i < len(texts)-1 {
			text += ","
		}
		if n := len(lines); n > 0 && utf8.RuneCountInString(lines[n-1])+1+utf8.RuneCountInString(text) <= width {
			lines[n-1] += " " + text
		} else {
			lines = append(lines, text)
		}
	}
	return lines
}

// cut shortens a line to a number of columns.
func cut(line string, width int) string {
	if width < 1 || utf8.RuneCountInString(line) <= width {
		return line
	}
	return string([]rune(line)[:width-1]) + "…"
}

// Span writes a time with two units at most: 4h12m, 3m05s, 12s.
func Span(d time.Duration) string {
	switch {
	case d >= time.Hour:
		d = d.Round(time.Minute)
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	case d.Round(time.Second) >= time.Minute:
		d = d.Round(time.Second)
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%ds", d.Round(time.Second)/time.Second)
}
