// Package serve is the serve command.
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"ordeal/campaigns/cli/command"
	"ordeal/campaigns/report/serve"
)

// grace is how long pages under way may take once the server is to end.
const grace = 2 * time.Second

// New makes the command.
func New(e *command.Env) *cobra.Command {
	var address string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "serve [DIR]",
		Short: "Show campaigns in a browser while they run",
		Long: `Serve web pages about the campaign in DIR, or about all campaigns in it, by default
those in ` + command.RunsDir + `: progress and time left, findings as they come, with a page that explains the
run of each, the coverage tables of the protocols, whose cells lead to the lines of the
transitions, and the whole report. The pages follow a campaign that runs.

The server listens on an address of this machine only, changes nothing, and needs
nothing but the directory. An interrupt (Ctrl-C) ends it.`,
		Example: `  ordeal serve
  ordeal serve --listen 127.0.0.1:8080 night
  ssh -L 8080:127.0.0.1:8080 build-machine ordeal serve --listen 127.0.0.1:8080 runs`,
		Args: command.Arguments(0, 1, "at most one DIR"),
	}
	cmd.Flags().StringVar(&address, "listen", "127.0.0.1:0", "`ADDRESS` of this machine, with a port; 0 is any that is free")
	command.JSONFlag(cmd, &asJSON)
	cmd.RunE = command.Body(func(ctx context.Context, args []string) error {
		dir := command.RunsDir
		if len(args) > 0 {
			dir = args[0]
		}
		h, err := serve.New(dir)
		if err != nil {
			return err
		}
		l, err := serve.Listen(address)
		if errors.Is(err, serve.ErrAddress) {
			return command.Usage(err)
		} else if err != nil {
			return err
		}
		url := "http://" + l.Addr().String() + "/"
		err = e.Print(asJSON, map[string]string{"url": url, "dir": dir}, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "%s  shows %s until it is interrupted\n", url, dir)
			return err
		})
		if err != nil {
			return errors.Join(err, l.Close())
		}
		server := &http.Server{
			Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second,
			WriteTimeout: 2 * time.Minute, IdleTimeout: 30 * time.Second, // a client that stalls holds a page and a connection
		}
		ended := make(chan error, 1)
		go func() { ended <- server.Serve(l) }()
		select {
		case err := <-ended:
			return err
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
			defer cancel()
			if err := server.Shutdown(last); errors.Is(err, context.DeadlineExceeded) {
				return server.Close()
			} else if err != nil {
				return err
			}
			return nil
		}
	})
	return cmd
}
