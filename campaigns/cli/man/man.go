// Package man writes the man pages of a command. It is no part of the command
// itself, whose start the libraries for it would slow down.
package man

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"ordeal/campaigns/run"
)

// Write writes a page for a command and each below it into a directory, which
// it makes if it does not exist. It changes their help texts.
func Write(root *cobra.Command, dir string) error {
	dir = run.Resolve(dir)
	if err := run.MkdirAll(dir); err != nil {
		return err
	}
	root.DisableAutoGenTag = true
	preformat(root)
	return doc.GenManTree(root, &doc.GenManHeader{Title: "ORDEAL", Section: "1", Source: "ordeal", Manual: "Ordeal"}, dir)
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
