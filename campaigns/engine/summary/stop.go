package summary

import (
	"fmt"

	"ordeal/sim"
)

// stopCondition is the condition of config.Stop that the campaign meets with a
// run; empty if there is none.
func (s *Summary) stopCondition(number int) string {
	if n := s.stop.Findings; n > 0 && len(s.Unknown()) >= n {
		return fmt.Sprintf("run %d: stop.findings is %d", number, n)
	}
	if n := s.stop.Same; n > 0 {
		for _, f := range s.Unknown() {
			if f.Outcome != sim.Missed && f.Runs >= n {
				return fmt.Sprintf("run %d: stop.same is %d", number, n)
			}
		}
	}
	return ""
}
