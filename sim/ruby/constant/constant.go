// Package constant evaluates the C++ that gem5's compiler of protocols copies
// from default="…" and constructor="…": expressions of numbers, parameters
// (m_NAME), earlier objects (*m_NAME_ptr) and a few functions. Everything else
// is an error.
package constant

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"ordeal/sim/slicc/types"
)

// Evaluate gives the value of a text; value gives that of a parameter or object,
// false if there is none of that name.
func Evaluate(text string, value func(name string) (int64, bool)) (int64, error) {
	p := textParser{rest: text, value: value}
	v := p.choice()
	if p.skip(); p.err == nil && p.rest != "" {
		p.fail("%q is not understood", p.rest)
	}
	return v, p.err
}

type textParser struct {
	rest  string
	value func(name string) (int64, bool)
	depth int
	err   error // the first
}

// maxTextDepth bounds the parentheses in each other.
const maxTextDepth = 50

func (p *textParser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
	p.rest = ""
}

func (p *textParser) skip() { p.rest = strings.TrimLeft(p.rest, " \t") }

func (p *textParser) accept(token string) bool {
	p.skip()
	rest, ok := strings.CutPrefix(p.rest, token)
	if ok {
		p.rest = rest
	}
	return ok
}

func (p *textParser) expect(token string) {
	if !p.accept(token) {
		p.fail("%q is missing before %q", token, p.rest)
	}
}

// choice is c ? a : b, or a shift.
func (p *textParser) choice() int64 {
	if p.depth++; p.depth > maxTextDepth {
		p.fail("more than %d parentheses in each other", maxTextDepth)
	}
	defer func() { p.depth-- }()
	v := p.shift()
	if !p.accept("?") {
		return v
	}
	then := p.choice()
	p.expect(":")
	otherwise := p.choice()
	if v != 0 {
		return then
	}
	return otherwise
}

func (p *textParser) shift() int64 {
	v := p.sum()
	for {
		switch {
		case p.accept("<<"):
			v <<= uint64(p.sum()) & 63
		case p.accept(">>"):
			v >>= uint64(p.sum()) & 63
		default:
			return v
		}
	}
}

func (p *textParser) sum() int64 {
	v := p.product()
	for {
		switch {
		case p.accept("+"):
			v += p.product()
		case p.accept("-"):
			v -= p.product()
		default:
			return v
		}
	}
}

func (p *textParser) product() int64 {
	v := p.prefix()
	for p.accept("*") {
		v *= p.prefix()
	}
	return v
}

func (p *textParser) prefix() int64 {
	switch {
	case p.accept("-"):
		return -p.prefix()
	case p.accept("("):
		v := p.choice()
		p.expect(")")
		return v
	case p.accept("*m_"):
		name, ok := strings.CutSuffix(p.word(), "_ptr")
		if !ok {
			p.fail("%q is no object", name)
		}
		return p.named(name)
	case p.accept("m_"):
		return p.named(p.word())
	}
	word := p.word()
	if n, err := strconv.ParseInt(word, 10, 64); err == nil {
		return n
	}
	p.expect("(")
	if v, ok := textConstants[word]; ok {
		p.expect(")")
		return v
	}
	f, ok := textFunctions[word]
	if !ok {
		p.fail("%q is not known", word)
		return 0
	}
	v := p.choice()
	p.expect(")")
	return f(v)
}

// word takes the letters, digits and colons ahead.
func (p *textParser) word() string {
	p.skip()
	n := strings.IndexFunc(p.rest, func(r rune) bool {
		return r != '_' && r != ':' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	if n < 0 {
		n = len(p.rest)
	}
	word := p.rest[:n]
	p.rest = p.rest[n:]
	return word
}

func (p *textParser) named(name string) int64 {
	if p.err != nil {
		return 0
	}
	v, ok := p.value(name)
	if !ok {
		p.fail("there is no parameter or object %q", name)
	}
	return v
}

// MaxTokens is gem5's max_tokens() (RubySlicc_Util.hh): the number of tokens of
// a line.
const MaxTokens = 1024

var textConstants = map[string]int64{
	"max_tokens":                    MaxTokens,
	"RubySystem::getBlockSizeBits":  types.BlockBits,
	"RubySystem::getBlockSizeBytes": types.BlockBytes,
}

var textFunctions = map[string]func(int64) int64{
	"Cycles": func(v int64) int64 { return v },
	"Tick":   func(v int64) int64 { return v },
	"log2":   func(v int64) int64 { return int64(bits.Len64(uint64(max(v, 1)))) - 1 },
}
