package gem5

import (
	"path"
	"regexp"
	"strings"
)

// What differs between two sights of the same bug: addresses, ticks and the
// numbers of nodes.
var (
	hexForm    = regexp.MustCompile(`\b0[xX][0-9a-fA-F]+\b`)
	objectForm = regexp.MustCompile(`\bsystem(?:\.[A-Za-z_][A-Za-z0-9_]*(?:\[[0-9]+\])?)+`)
	placeForm  = regexp.MustCompile(`[A-Za-z0-9_./-]*/?([A-Za-z0-9_-]+\.(?:cc|hh|sm|py|c|h)):[0-9]+`)
	numberForm = regexp.MustCompile(`\b[0-9]+\b`)
	spaceForm  = regexp.MustCompile(`\s+`)
)

// maxTitle bounds a title, in bytes.
const maxTitle = 160

// normalise makes a message of gem5 the name of a bug: addresses become ADDR,
// other numbers N, objects lose their place and number, files their folder
// and line.
func normalise(message string) string {
	message = placeForm.ReplaceAllString(message, "$1")
	message = objectForm.ReplaceAllStringFunc(message, objectName)
	message = hexForm.ReplaceAllString(message, "ADDR")
	message = numberForm.ReplaceAllString(message, "N")
	message = strings.TrimRight(strings.TrimSpace(spaceForm.ReplaceAllString(message, " ")), " .:!")
	if len(message) > maxTitle {
		message = strings.ToValidUTF8(message[:maxTitle], "")
	}
	return message
}

// objectName is the kind of an object: l1_cntrl of system.ruby.l1_cntrl0.
func objectName(object string) string {
	object = object[strings.LastIndexByte(object, '.')+1:]
	if i := strings.IndexByte(object, '['); i >= 0 {
		object = object[:i]
	}
	if kind := strings.TrimRight(object, "0123456789"); kind != "" {
		return kind
	}
	return object
}

var (
	transitionForm = regexp.MustCompile(`Invalid transition\s+(\S+) time: \d+ addr: \S+ event: (\S+) state: (\S+)`)
	assertionForm  = regexp.MustCompile("(?m)([^\\s:]+):\\d+: .*Assertion [`'](.+)' failed")
	conditionForm  = regexp.MustCompile(`^(?:panic|fatal) condition .* occurred: `)
	logForm        = regexp.MustCompile(`(?m)^(?:\S+:\d+: )?(panic|fatal): (.*)$`)
	pythonForm     = regexp.MustCompile(`(?m)^((?:[A-Za-z_]+\.)*[A-Z][A-Za-z]*(?:Error|Exception|Exit|Interrupt)): ?(.*)$`)
)

// assertionTitle names a failed assertion by its file and expression.
func assertionTitle(text string) (string, bool) {
	m := assertionForm.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	return "assertion failed: " + path.Base(m[1]) + ": " + spaceForm.ReplaceAllString(m[2], " "), true
}

// transitionTitle names an invalid transition by machine, state and event.
func transitionTitle(text string) (string, bool) {
	m := transitionForm.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	return "invalid transition: " + objectName(m[1]) + " in " + m[3] + " on " + m[2], true
}

// complaint finds the panic or fatal error of a run: which of both, and the
// message without the condition that checked for it.
func complaint(text string) (kind, message string) {
	m := logForm.FindStringSubmatch(text)
	if m == nil {
		return "", ""
	}
	return m[1], conditionForm.ReplaceAllString(m[2], "")
}
