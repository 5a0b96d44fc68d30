package syntax

import "github.com/agnivade/levenshtein"

// Suggestion ends the message about an unknown name with the known one that is
// most like it, or is empty. Of a name, a third may be mistaken, and four
// characters at most: short names have none, as many others are like them.
func Suggestion(name string, known []string) string {
	closest, least := "", min(4, len(name)/3)+1
	for _, k := range known {
		if d := levenshtein.ComputeDistance(name, k); d < least {
			closest, least = k, d
		}
	}
	if closest == "" {
		return ""
	}
	return " (did you mean " + closest + "?)"
}
