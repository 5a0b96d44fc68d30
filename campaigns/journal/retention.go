package journal

import (
	"strconv"

	"ordeal/campaigns/config"
	"ordeal/sim"
)

// stay says whether the directory of a run stays: always, or as the first run
// of the kind key, or never where key is empty.
func Stay(c *config.Campaign, run *Run) (key string, always bool) {
	switch {
	case run.Outcome == sim.Infra:
		return "", true
	case run.Config.Canary() && run.Result.Finding():
		caught := strconv.FormatBool(run.Config.Bug.Shows(run.Outcome))
		return run.Config.Name + " caught=" + caught, c.Keep == config.KeepAll
	case c.Keep == config.KeepAll || run.Outcome != sim.Passed || run.Undecided():
		return "", true
	case run.Config.Canary():
		return "", false
	}
	key = run.Config.Name
	for _, a := range run.Answers {
		key += " " + a.Model + "=" + a.Answer
	}
	return key, false
}
