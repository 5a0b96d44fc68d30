package bugs

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"ordeal/sim/lazyregexp"
)

// Edit is an edit of a file by names, which takes a fix out.
type Edit struct {
	File string `yaml:"file" json:"file"`
	// At is the head of the block to edit, up to the comma or parenthesis behind
	// what names it, as "transition(MI, Writeback_Nack" or "action(a_issueGETS"; blanks
	// do not count. Exactly one block must begin so. Empty: the whole file.
	At string `yaml:"at" json:"at,omitempty"`
	// Exactly one of these is what to do: remove the block, drop lines that have
	// a text, of which there must be one, or replace texts, all of which must
	// occur.
	Remove  bool              `yaml:"remove" json:"remove,omitempty"`
	Drop    string            `yaml:"drop" json:"drop,omitempty"`
	Replace map[string]string `yaml:"replace" json:"replace,omitempty"`
	// Before moves the block in front of the first line with that text.
	Before string `yaml:"move-before" json:"move_before,omitempty"`
	// Add puts text in front of the block.
	Add string `yaml:"add" json:"add,omitempty"`
	_   struct{}
}

func (e *Edit) validate() error {
	ways := 0
	for _, given := range []bool{e.Remove, e.Drop != "", len(e.Replace) > 0, e.Before != "", e.Add != ""} {
		if given {
			ways++
		}
	}
	switch {
	case !fs.ValidPath(e.File):
		return fmt.Errorf("file %q: want a file of the protocol", e.File)
	case ways != 1:
		return errors.New("want one of remove, drop, replace, move-before and add")
	case (e.Remove || e.Before != "" || e.Add != "") && e.At == "":
		return errors.New("at: want the block")
	}
	return nil
}

// apply edits a text.
func (e *Edit) apply(text string) (string, error) {
	from, to := 0, len(text)
	if e.At != "" {
		var err error
		if from, to, err = findBlock(text, e.At); err != nil {
			return "", fmt.Errorf("%s: %w", e.File, err)
		}
	}
	block := text[from:to]
	switch {
	case e.Remove:
		return text[:from] + text[to:], nil
	case e.Add != "":
		return text[:from] + strings.TrimRight(e.Add, "\n") + "\n\n" + text[from:], nil
	case e.Before != "":
		rest := text[:from] + text[to:]
		at := strings.Index(rest, e.Before)
		if at < 0 {
			return "", fmt.Errorf("%s: no %q to move a block before", e.File, e.Before)
		}
		at = strings.LastIndex(rest[:at], "\n") + 1
		return rest[:at] + block + rest[at:], nil
	case e.Drop != "":
		var kept strings.Builder
		for line := range strings.Lines(block) {
			if !strings.Contains(line, e.Drop) {
				kept.WriteString(line)
			}
		}
		if kept.Len() == len(block) {
			return "", fmt.Errorf("%s: %s: no line has %q", e.File, e.At, e.Drop)
		}
		return text[:from] + kept.String() + text[to:], nil
	}
	var pairs []string
	for _, old := range slices.Sorted(maps.Keys(e.Replace)) {
		if !strings.Contains(block, old) {
			return "", fmt.Errorf("%s: %s: no %q", e.File, e.At, old)
		}
		pairs = append(pairs, old, e.Replace[old])
	}
	return text[:from] + strings.NewReplacer(pairs...).Replace(block) + text[to:], nil
}

// blanks are where the head of a block may have blanks.
var blanks = lazyregexp.New(`\s+`)

// findBlock finds the one block of a file that begins with a head: from the
// beginning of its first line to the end of the line with its closing brace.
func findBlock(text, head string) (from, to int, err error) {
	var pattern strings.Builder
	pattern.WriteString(`(?m)^[ \t]*`)
	for _, r := range blanks().ReplaceAllString(head, "") {
		pattern.WriteString(regexp.QuoteMeta(string(r)) + `\s*`)
	}
	pattern.WriteString(`[,)]`)
	re, err := regexp.Compile(pattern.String())
	if err != nil {
		return 0, 0, err
	}
	all := re.FindAllStringIndex(text, -1)
	if len(all) != 1 {
		return 0, 0, fmt.Errorf("%d blocks begin with %q: want one", len(all), head)
	}
	from = all[0][0]
	depth := 0
	parentheses := 0
	for i := from; i < len(text); i++ {
		switch text[i] {
		case '(':
			parentheses++
		case ')':
			parentheses--
		case '{':
			if parentheses == 0 { // not a list of states
				depth++
			}
		case '}':
			if parentheses > 0 {
				continue
			}
			if depth--; depth == 0 {
				if strings.HasPrefix(strings.TrimLeft(text[i+1:], " \t\n"), "{") {
					continue // resources of a transition, in front of its actions
				}
				if end := strings.IndexByte(text[i:], '\n'); end >= 0 {
					return from, i + end + 1, nil
				}
				return from, len(text), nil
			}
		}
	}
	return 0, 0, fmt.Errorf("%q: no end of the block", head)
}
