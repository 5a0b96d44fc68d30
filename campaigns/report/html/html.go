// Package html writes the report of a campaign as one HTML page that needs
// nothing else: no network, no script, no file beside it.
package html

import (
	"context"
	"html/template"
	"io"

	"ordeal/campaigns"
)

// Options steer Write.
type Options struct {
	// Kill is a directory or file of results of ordeal mutate run; empty means
	// those in the directory of the campaign, if there are any.
	Kill string
	_    struct{}
}

// Write writes the report. The same archive gives the same bytes. Everything
// in the archive is taken for text from others, and escaped.
func Write(ctx context.Context, w io.Writer, a *campaigns.Archive, o Options) error {
	sum, err := a.Summary()
	if err != nil {
		return err
	}
	return template.Must(template.New("page").Parse(`<!DOCTYPE html><title>{{.Campaign}}</title>`)).Execute(w, sum)
}
