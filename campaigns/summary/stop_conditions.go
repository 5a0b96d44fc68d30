package summary

import (
	"errors"
	"fmt"

	"ordeal/sim"
)

// errStopped ends the runs of a campaign that has reached a condition of
// Campaign.Stop.
var ErrStopped = errors.New("the campaign stops here")

// stopped says which condition of s the campaign has reached with a run; empty
// for none.
func (s *Summary) stopped(number int) string {
	if n := s.stop.Findings; n > 0 && len(s.Findings) >= n {
		return fmt.Sprintf("run %d: stop.findings is %d", number, n)
	}
	if n := s.stop.Same; n > 0 {
		for i := range s.Findings {
			if f := &s.Findings[i]; f.Outcome != sim.Missed && f.Runs >= n {
				return fmt.Sprintf("run %d: stop.same is %d", number, n)
			}
		}
	}
	return ""
}
