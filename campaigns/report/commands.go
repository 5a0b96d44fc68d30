// Package report holds what reports of campaigns have in common, whatever
// their form; each form is a subpackage.
package report

import (
	"path/filepath"
	"strconv"
	"strings"

	"ordeal/campaigns/summary"
	"ordeal/sim"
)

// Commands are the command lines, for a shell, that show a finding of the
// campaign in dir: why the run failed, a smaller program, the run again, and the
// run again from nothing but the campaign's file.
func Commands(dir string, f *summary.Finding) []string {
	numbered := "ordeal repro --campaign " + Quoted(filepath.Join(dir, "campaign.yaml")) + " --run " + strconv.Itoa(f.First)
	if f.Outcome == sim.Missed || f.Best == nil {
		return []string{numbered}
	}
	best := Quoted(f.Best.Dir)
	commands := []string{"ordeal check --explain " + best}
	if !f.Best.Reduced {
		commands = append(commands, "ordeal reduce "+best)
	}
	return append(commands, "ordeal repro "+best, numbered)
}

// plain are the characters of words that a shell takes as they are.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-./=:,@%"

// Quoted is a word as a shell takes it.
func Quoted(word string) string {
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
