package cli

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/run"
)

func newVersion(e *env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  command.Arguments(0, 0, "nothing"),
		RunE: command.Body(func(context.Context, []string) error {
			is := map[string]string{"ordeal": run.ToolVersion(), "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH}
			return e.Print(asJSON, is, func(w io.Writer) error {
				_, err := io.WriteString(w, versionText())
				return err
			})
		}),
	}
	command.JSONFlag(cmd, &asJSON)
	return cmd
}

// A template reads the version when it is asked for, which takes a while.
func init() { cobra.AddTemplateFunc("version", versionText) }

// versionText is the version of this program, in a line.
func versionText() string {
	return fmt.Sprintf("ordeal %s %s %s/%s\n", run.ToolVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
