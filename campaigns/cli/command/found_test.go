package command

import (
	"errors"
	"testing"

	"ordeal/campaigns/engine/summary"
)

// TestFound requires that a failure after the work hides no finding, and that a result without one does not hide it.
func TestFound(t *testing.T) {
	full := Infra(errors.New("the disk is full"))
	for _, test := range []struct {
		status int
		failed error
		want   int
		says   bool
	}{
		{summary.ExitFinding, full, summary.ExitFinding, true},
		{summary.ExitFinding, nil, summary.ExitFinding, false},
		{summary.ExitUndecided, full, summary.ExitInfra, true},
		{summary.ExitOK, full, summary.ExitInfra, true},
		{summary.ExitUndecided, nil, summary.ExitUndecided, false},
	} {
		err := new(Env).Found(test.status, test.failed)
		var status *StatusError
		if !errors.As(err, &status) || status.Status != test.want || (status.Err != nil) != test.says {
			t.Errorf("status %d, failed %v: %#v", test.status, test.failed, err)
		}
	}
	if err := new(Env).Found(summary.ExitOK, nil); err != nil {
		t.Error(err)
	}
}
