package main

import (
	"bytes"
	"fmt"
)

// replacements are the tokens that the operators of gremlins put for others.
var replacements = map[string]map[string]string{
	"ARITHMETIC_BASE":       {"+": "-", "*": "/", "/": "*", "%": "*", "-": "+"},
	"CONDITIONALS_BOUNDARY": {">=": ">", ">": ">=", "<=": "<", "<": "<="},
	"CONDITIONALS_NEGATION": {"==": "!=", ">=": "<", ">": "<=", "<=": ">", "<": ">=", "!=": "=="},
	"INCREMENT_DECREMENT":   {"--": "++", "++": "--"},
	"INVERT_LOGICAL":        {"&&": "||", "||": "&&"},
	"INVERT_LOOPCTRL":       {"break": "continue", "continue": "break"},
	"INVERT_NEGATIVES":      {"-": "+"},
}

// apply is the source with a mutant's token replaced. Columns count bytes from 1.
func apply(source []byte, m mutant) ([]byte, error) {
	at := 0
	for range m.Line - 1 {
		at += bytes.IndexByte(source[at:], '\n') + 1
	}
	at += m.Column - 1
	longest := ""
	for token := range replacements[m.Type] {
		if bytes.HasPrefix(source[min(at, len(source)):], []byte(token)) && len(token) > len(longest) {
			longest = token
		}
	}
	if longest == "" {
		return nil, fmt.Errorf("%s:%d:%d: no token for %s: the list of mutants is older than the file", m.File, m.Line, m.Column, m.Type)
	}
	return bytes.Join([][]byte{source[:at], source[at+len(longest):]}, []byte(replacements[m.Type][longest])), nil
}
