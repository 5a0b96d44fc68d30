package lint

import (
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

// word is a word of a text or a part of a name in camel case.
var word = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)

// TestWords reports the words of privateWords in code, documents,
// campaign files and scripts.
func TestWords(t *testing.T) {
	for _, path := range files(t, ".go", ".md", ".yaml", ".sh", ".py", ".sql", ".json") {
		if strings.HasSuffix(path, "/words_test.go") {
			continue
		}
		text, err := os.ReadFile(root + "/" + path)
		if err != nil {
			t.Fatal(err)
		}
		number := 0
		for line := range strings.Lines(string(text)) {
			number++
			for _, w := range word.FindAllString(line, -1) {
				if standard, ok := privateWords[strings.ToLower(w)]; ok {
					t.Errorf("%s:%d: %q: the standard term is %s", path, number, w, standard)
				}
			}
			if phrase := privatePhrases.FindString(line); phrase != "" {
				t.Errorf("%s:%d: %q: say what it is", path, number, phrase)
			}
		}
	}
}
