package gem5

import (
	"strings"

	"ordeal/sim/lazyregexp"
)

// The parts of a message that differ between two occurrences of the same bug.
var (
	hexForm    = lazyregexp.New(`\b0[xX][0-9a-fA-F]+\b`)
	objectForm = lazyregexp.New(`\bsystem(?:\.[A-Za-z_][A-Za-z0-9_]*(?:\[[0-9]+\])?)+`)
	placeForm  = lazyregexp.New(`[A-Za-z0-9_./-]*/?([A-Za-z0-9_-]+\.(?:cc|hh|sm|py|c|h)):[0-9]+`)
	numberForm = lazyregexp.New(`\b[0-9]+\b`)
	spaceForm  = lazyregexp.New(`\s+`)
)

// maxTitle bounds a title, in bytes.
const maxTitle = 160

// normalise makes a message of gem5 a title: addresses become ADDR, other
// numbers N, objects lose their path and number, files their folder and line.
func normalise(message string) string {
	message = placeForm().ReplaceAllString(message, "$1")
	message = objectForm().ReplaceAllStringFunc(message, objectName)
	message = hexForm().ReplaceAllString(message, "ADDR")
	message = numberForm().ReplaceAllString(message, "N")
	message = strings.TrimRight(strings.TrimSpace(spaceForm().ReplaceAllString(message, " ")), " .:!")
	if len(message) > maxTitle {
		message = strings.ToValidUTF8(message[:maxTitle], "")
	}
	return message
}

// objectName is the kind of an object: l1_cntrl of system.ruby.l1_cntrl0.
func objectName(object string) string {
	object = object[strings.LastIndexByte(object, '.')+1:]
	object, _, _ = strings.Cut(object, "[")
	if kind := strings.TrimRight(object, "0123456789"); kind != "" {
		return kind
	}
	return object
}
