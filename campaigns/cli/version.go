package cli

import (
	"context"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"ordeal/campaigns/execute"
)

func newVersion(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  arguments(0, 0, "nothing"),
		RunE: body(func(context.Context, []string) error {
			_, err := fmt.Fprintf(e.stdout, "ordeal %s %s %s/%s\n", execute.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		}),
	}
}
