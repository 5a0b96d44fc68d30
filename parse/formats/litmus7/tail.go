package litmus7

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tail reads what follows the condition: the observation, and before and
// behind it the hash, the time and other information. A gap after the
// observation ends it.
func (r *reader) tail(result *Result) error {
	for r.next() {
		word, rest, _ := strings.Cut(r.text, " ")
		switch {
		case r.text == "" && result.Observation == ObservationUnknown && result.Time < 0:
		case r.text == "":
			return r.observed(result, true)
		case isHead(r.text):
			r.again = true
			return r.observed(result, true)
		case word == "Observation":
			if err := r.observation(result, strings.Fields(rest)); err != nil {
				return err
			}
		case word == "Time":
			words := strings.Fields(rest)
			if len(words) != 2 || words[0] != result.Test {
				return r.want(`"Time `+result.Test+` SECONDS"`, true)
			}
			var err error
			if result.Time, err = parseSeconds(words[1]); err != nil {
				return r.fault("%w", err)
			}
		case strings.HasPrefix(r.text, hashKey):
			result.Hash = strings.TrimSpace(r.text[len(hashKey):])
		case isInfo(r.text):
			result.Info = append(result.Info, r.text)
		case result.Observation != ObservationUnknown || result.Time >= 0:
			return r.observed(result, true) // for instance the ruler above the next test's source
		default:
			return r.want("the observation", true)
		}
	}
	return r.observed(result, false)
}

// observed demands an observation of herd7, and else makes it of the counts.
func (r *reader) observed(result *Result, there bool) error {
	if result.Observation == ObservationUnknown && (result.Form == Herd7 || result.Time < 0) {
		return r.want("the observation", there)
	}
	if result.Observation == ObservationUnknown { // old versions of litmus7 have none, but the time
		result.Observation = observe(result.Positive, result.Negative)
	}
	return nil
}

// observation reads "NAME Never 0 1000".
func (r *reader) observation(result *Result, words []string) error {
	if len(words) != 4 || words[0] != result.Test {
		return r.want(`"Observation `+result.Test+` Never, Sometimes or Always N N"`, true)
	}
	index := slices.Index(observationNames[1:], words[1])
	if index < 0 {
		return r.fault("%q: want Never, Sometimes or Always", words[1])
	}
	result.Observation = Observation(index + 1)
	positive, err := parseCount(words[2])
	negative, err2 := parseCount(words[3])
	if err := errors.Join(err, err2); err != nil {
		return r.fault("%w", err)
	}
	if positive != result.Positive || negative != result.Negative {
		return r.fault("%d positive and %d negative observed, but the witnesses are %d and %d", positive, negative, result.Positive, result.Negative)
	}
	return nil
}

// parseSeconds reads a time such as 0.11.
func parseSeconds(text string) (time.Duration, error) {
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Trim(text, "0123456789.") != "" || seconds > 1e9 {
		return 0, fmt.Errorf("%q is no time in seconds", text)
	}
	const hundredth = 10 * time.Millisecond
	return time.Duration(math.Round(seconds*100)) * hundredth, nil
}

// isInfo reports whether a line behind a condition is information about the
// run: "Key=value", or "Key" and a value.
func isInfo(line string) bool {
	for i := range len(line) {
		if line[i] < ' ' || line[i] >= 0x7f {
			return false
		}
	}
	end := strings.IndexAny(line, "= ")
	if end < 1 || line != strings.TrimSpace(line) || isHead(line) || strings.HasPrefix(line, hashKey) {
		return false
	}
	key := line[:end]
	return isKey(key) && !slices.Contains([]string{"Observation", "Time", "Condition"}, key)
}

func isKey(key string) bool {
	for _, c := range key {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}
