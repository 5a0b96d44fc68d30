package command

import "ordeal/campaigns/report/progress"

// Columns is how many columns tables on standard output may take; 0 means any
// number.
func (e *Env) Columns() int { return progress.Columns(e.written.w) }
