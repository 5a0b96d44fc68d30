package command

import "ordeal/campaigns/report/progress"

// Progress shows on standard error how far work is, which text names until more is
// known: live on a terminal, else now and then. Close ends it before results are
// printed.
func (e *Env) Progress(text string) *progress.Line {
	return progress.NewLine(e.Stderr, e.Terminal, progress.Auto(e.Terminal), text)
}
