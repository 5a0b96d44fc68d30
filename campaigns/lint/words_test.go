package lint

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// privateWords have standard terms, which names, comments, messages and
// documents use in their place.
var privateWords = map[string]string{
	"told":      "notified, reported, distinguishable",
	"untold":    "not notified, not reported",
	"nobody":    "none, no one calls",
	"somebody":  "a user, a process",
	"trouble":   "infrastructure error",
	"troubles":  "infrastructure errors",
	"spoil":     "corrupt",
	"spoils":    "corrupts",
	"spoilt":    "corrupt",
	"surplus":   "after-stop",
	"judge":     "check, evaluate",
	"judges":    "checks, evaluates",
	"judged":    "checked, evaluated",
	"judging":   "checking, evaluation",
	"judgement": "evaluation, result",
	"jail":      "sandbox",
	"jailed":    "sandboxed",
	"door":      "seccomp shim",
	"doors":     "seccomp shims",
	"twin":      "reference implementation",
	"twins":     "reference implementations",
	"leavings":  "leftover files",
	"devour":    "consume",
	"devours":   "consumes",
	"hunt":      "search",
	"hunts":     "searches",
	"sightings": "occurrences",
	"wording":   "messages",
	"people":    "users, text",
	"asrun":     "resolved",
}

// privatePhrases are the same for more than one word.
var privatePhrases = regexp.MustCompile(`(?i)\b(c[ao]mes? of|in numbers|tells? of|by the way)\b`)

// turns are turns of phrase of this project alone, for which plain English has a verb or a noun.
var turns = regexp.MustCompile(`\b(is|are) (that|those) of\b|\bis what\b|\b(is|has) none\b|\bmade again\b|\bas it should be\b|` +
	`\ba stranger|\bwhat became\b|\bbut for\b|\bat hand\b|\bunder way\b|\btold apart\b|\bas far as there\b`)

// turnsInCode is how many of them Go files still have. It only goes down.
const turnsInCode = 1025

// word is a word of a text or a part of a name in camel case.
var word = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)

// TestWords reports the words of privateWords in code, documents,
// campaign files and scripts.
func TestWords(t *testing.T) {
	inCode := 0
	for _, path := range files(t, ".go", ".md", ".yaml", ".sh", ".py", ".sql", ".json") {
		if strings.HasSuffix(path, "/words_test.go") {
			continue
		}
		text, err := os.ReadFile(root + "/" + path)
		if err != nil {
			t.Fatal(err)
		}
		at := func(offset int) string { return fmt.Sprintf("%s:%d", path, 1+bytes.Count(text[:offset], []byte("\n"))) }
		for _, m := range word.FindAllIndex(text, -1) {
			if standard, ok := privateWords[strings.ToLower(string(text[m[0]:m[1]]))]; ok {
				t.Errorf("%s: %q: the standard term is %s", at(m[0]), text[m[0]:m[1]], standard)
			}
		}
		for _, m := range privatePhrases.FindAllIndex(text, -1) {
			t.Errorf("%s: %q: say what it is", at(m[0]), text[m[0]:m[1]])
		}
		if strings.HasSuffix(path, ".json") { // schemas have the comments of code
			continue
		}
		for _, m := range turns.FindAllIndex(text, -1) {
			if strings.HasSuffix(path, ".go") {
				inCode++
			} else {
				t.Errorf("%s: %q: use a verb and its object", at(m[0]), text[m[0]:m[1]])
			}
		}
	}
	if inCode > turnsInCode {
		t.Errorf("Go files have %d turns of phrase that plain English lacks, and %d are allowed: reword the new ones", inCode, turnsInCode)
	}
}
