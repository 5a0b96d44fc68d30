package cli

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// newMan is the hidden command that make man calls.
func newMan() *cobra.Command {
	cmd := &cobra.Command{
		Use:    "man DIR",
		Short:  "Write a man page for each command",
		Hidden: true,
		Args:   arguments(1, 1, "one directory"),
	}
	cmd.RunE = body(func(_ context.Context, args []string) error {
		if err := os.MkdirAll(args[0], 0o755); err != nil {
			return err
		}
		root := cmd.Root()
		root.DisableAutoGenTag = true
		preformat(root)
		return doc.GenManTree(root, &doc.GenManHeader{Title: "ORDEAL", Section: "1", Source: "ordeal", Manual: "Ordeal"}, args[0])
	})
	return cmd
}

// preformat turns the indented lines of long help texts into code blocks of
// Markdown, from which man pages are made, so that tables stay tables.
func preformat(cmd *cobra.Command) {
	var b strings.Builder
	block := false
	for line := range strings.Lines(cmd.Long) {
		if indented := strings.HasPrefix(line, "  "); indented != block && strings.TrimSpace(line) != "" {
			block = indented
			b.WriteByte('\n')
		}
		if block {
			line = "    " + line
		}
		b.WriteString(line)
	}
	cmd.Long = b.String()
	for _, sub := range cmd.Commands() {
		preformat(sub)
	}
}
