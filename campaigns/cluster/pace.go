package cluster

import (
	"fmt"
	"io"
	"strings"
	"time"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/messages"
)

// rateOver is the time that the rate of a shard is of.
const rateOver = 5 * time.Minute

// pace counts the runs that a shard has recorded lately. Times are those spent
// on the shard, as in its journal.
type pace struct {
	from, now time.Duration
	runs      int
}

// newPace begins with the current session, or rateOver before now.
func newPace(h *journal.Header, now time.Time) *pace {
	spent := h.Spent + max(0, now.Sub(h.Session))
	return &pace{from: max(h.Spent, spent-rateOver), now: spent}
}

// add counts a run that was recorded at a time.
func (p *pace) add(at time.Duration) {
	if at > p.from {
		p.runs++
	}
}

// rate is in runs a second; 0 if nothing was recorded.
func (p *pace) rate() float64 {
	if p.now <= p.from {
		return 0
	}
	return float64(p.runs) / (p.now - p.from).Seconds()
}

// left is how long some runs take at a rate, but at most the rest of the budget
// if there is one; 0 if that is unknown.
func left(runs int, rate float64, budget time.Duration, limited bool) time.Duration {
	var d time.Duration
	if rate > 0 {
		d = time.Duration(float64(runs) / rate * float64(time.Second))
	}
	if limited && (d == 0 || budget < d) {
		d = max(0, budget)
	}
	return d
}

// estimate sums up the rates of the shards that run, and estimates the time
// until all shards have ended. Shards that do not run are taken to need as much
// time for a run as the others, and so many to run at a time as now.
func (s *Status) estimate() {
	var running, waiting int // waiting counts runs
	var sum, longest time.Duration
	for i := range s.Shards {
		one := &s.Shards[i]
		switch {
		case isFinal(one.End):
		case one.Rate > 0:
			running++
			s.Rate += one.Rate
			sum += one.Left
			longest = max(longest, one.Left)
		default:
			waiting += one.Planned - one.Runs
		}
	}
	if running == 0 {
		return
	}
	sum += left(waiting, s.Rate/float64(running), 0, false)
	s.Left = max(longest, sum/time.Duration(running))
}

// pace is the rate and the time left, to follow a number of runs; empty if they
// are not known.
func (s *Status) pace() string {
	if s.Rate == 0 {
		return ""
	}
	return fmt.Sprintf(", %s runs/s, about %s left", messages.Rate(s.Rate), s.Left.Round(time.Second))
}

// WriteBrief writes one line.
func (s *Status) WriteBrief(w io.Writer) error {
	percent := 0.0
	if s.Planned > 0 {
		percent = 100 * float64(s.Runs) / float64(s.Planned)
	}
	counts := make(map[string]int)
	var order []string
	for i := range s.Shards {
		one := &s.Shards[i]
		word := messages.EscapeLine(strings.ToLower(one.State))
		switch {
		case isFinal(one.End):
			word = "complete"
		case one.Error != "":
			word = "unreadable"
		case word == "":
			word = "not submitted"
		case one.Limit.Requeued > 0 && one.State == "PENDING":
			word = "requeued"
		}
		if counts[word]++; counts[word] == 1 {
			order = append(order, word)
		}
	}
	shards := make([]string, len(order))
	for i, word := range order {
		shards[i] = fmt.Sprintf("%d %s", counts[word], word)
	}
	line := fmt.Sprintf("%s: %d of %d runs (%.1f %%)%s; %s; shards: %s; merge: %s",
		messages.EscapeLine(s.Campaign), s.Runs, s.Planned, percent, s.pace(), messages.Plural(s.Findings, "finding"), strings.Join(shards, ", "), s.mergeState())
	if s.EngineError != "" {
		line += "; states are the last known ones: " + messages.EscapeLine(strings.ReplaceAll(s.EngineError, "\n", " "))
	}
	_, err := fmt.Fprintln(w, line)
	return err
}

func (s *Status) mergeState() string {
	if s.Complete && s.Merged != "" {
		return "done"
	}
	return s.Merge.stateText(&s.MergeLimit.Limit)
}
