package campaign

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/run"
)

// reportFlags name the files that reports go to when a campaign ends, by the
// formats of reportFormats.
type reportFlags struct{ files []string }

func (f *reportFlags) flags(fs *pflag.FlagSet) {
	f.files = make([]string, len(reportFormats))
	for i, format := range reportFormats {
		fs.StringVar(&f.files[i], format.name, "", "at the end, also write what campaign report --format "+format.name+" writes to this file")
	}
}

// write writes the reports of a campaign that ran: sum is nil, or empty with
// an error, if it did not begin. An interrupted one has its reports, too.
func (f *reportFlags) write(ctx context.Context, e *command.Env, dir string, sum *summary.Summary, failed error) error {
	if sum == nil || failed != nil && sum.Total().Runs == 0 {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	var archive *journal.Archive
	var faults []error
	for i, format := range reportFormats {
		if f.files[i] == "" {
			continue
		}
		if archive == nil {
			var err error
			if archive, err = journal.Open(dir); err != nil {
				return err
			}
		}
		if err := run.StreamOutput(f.files[i], run.Plain, func(w io.Writer) error {
			return format.write(ctx, w, archive, &reportCommand{Env: e})
		}); err != nil {
			faults = append(faults, fmt.Errorf("report as %s: %w", format.name, err))
		}
	}
	return errors.Join(faults...)
}
