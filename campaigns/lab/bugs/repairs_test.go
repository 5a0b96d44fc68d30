package bugs

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/campaigns/audit"
)

// TestUncheckedRepairs requires what prevents a check of repairs to be a result: the
// search for other bugs goes on.
func TestUncheckedRepairs(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.slicc")
	for _, trees := range []*Trees{{Before: missing, After: missing}, {Before: missing}, nil} { // without trees it panics
		r := &Result{Trees: trees, Finding: new(audit.Finding)}
		found, err := new(Bench).repairs(t.Context(), r)
		if err != nil || found.Reason == "" || strings.HasPrefix(found.Reason, "panic: ") != (trees == nil) {
			t.Errorf("%+v: %v, %+v", trees, err, found)
		}
	}
}

// TestInterruptedRepairs requires an interrupted search to leave no result, with which a later call
// would take it for one that found nothing.
func TestInterruptedRepairs(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := &Result{Trees: &Trees{}}
	if found, err := new(Bench).repairs(ctx, r); err == nil {
		t.Errorf("%+v", found)
	}
}
