package litmus

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Condition is a proposition over registers and memory.
type Condition interface {
	holds(s State) bool
	variables(list []Variable) []Variable
	String() string
}

type (
	truth struct{}
	equal struct {
		v     Variable
		value int64
		text  string // of the value
	}
	negation struct{ of Condition }
	both     struct{ left, right Condition }
	either   struct{ left, right Condition }
)

func (truth) holds(State) bool        { return true }
func (c equal) holds(s State) bool    { return s.get(c.v) == c.value }
func (c negation) holds(s State) bool { return !c.of.holds(s) }
func (c both) holds(s State) bool     { return c.left.holds(s) && c.right.holds(s) }
func (c either) holds(s State) bool   { return c.left.holds(s) || c.right.holds(s) }

func (truth) variables(list []Variable) []Variable      { return list }
func (c equal) variables(list []Variable) []Variable    { return append(list, c.v) }
func (c negation) variables(list []Variable) []Variable { return c.of.variables(list) }
func (c both) variables(list []Variable) []Variable {
	return c.right.variables(c.left.variables(list))
}
func (c either) variables(list []Variable) []Variable {
	return c.right.variables(c.left.variables(list))
}

func (truth) String() string      { return "true" }
func (c equal) String() string    { return c.v.String() + "=" + c.text }
func (c negation) String() string { return "~(" + c.of.String() + ")" }
func (c both) String() string     { return "(" + inner[both](c.left) + ` /\ ` + inner[both](c.right) + ")" }
func (c either) String() string {
	return "(" + inner[either](c.left) + ` \/ ` + inner[either](c.right) + ")"
}

// inner is a part of a condition, without parentheses where it is of the same
// kind as the whole, as tools write it.
func inner[kind Condition](c Condition) string {
	text := c.String()
	if _, same := c.(kind); same {
		return text[1 : len(text)-1]
	}
	return text
}

const maxNesting = 200

// proposition parses a condition by recursive descent: \/ binds loosest, then
// /\, then ~.
type proposition struct {
	arch  *architecture
	test  *Test // for the addresses of locations
	words []string
	depth int
}

// proposition reads a condition without its quantifier.
func (a *architecture) proposition(text string, t *Test) (Condition, error) {
	words, err := split(text)
	if err != nil {
		return nil, err
	}
	p := &proposition{arch: a, test: t, words: words}
	c, err := p.or()
	if err == nil && len(p.words) > 0 {
		err = fmt.Errorf("%q after the condition", p.words[0])
	}
	return c, err
}

// split makes words of a condition: marks, and atoms such as "0:rax=1".
func split(text string) ([]string, error) {
	var words []string
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		n := 1
		switch {
		case strings.HasPrefix(text, `/\`), strings.HasPrefix(text, `\/`):
			n = 2
		case strings.ContainsRune("()~", rune(text[0])):
		default:
			n = strings.IndexAny(text, `/\()~`)
			if n < 0 {
				n = len(text)
			}
			if n == 0 {
				return nil, fmt.Errorf("unexpected %q", text[:1])
			}
		}
		words = append(words, strings.TrimSpace(text[:n]))
		text = text[n:]
	}
	return words, nil
}

func (p *proposition) next() string {
	if len(p.words) == 0 {
		return ""
	}
	return p.words[0]
}

func (p *proposition) or() (Condition, error) {
	return p.chain(`\/`, p.and, func(left, right Condition) Condition { return either{left, right} })
}

func (p *proposition) and() (Condition, error) {
	return p.chain(`/\`, p.not, func(left, right Condition) Condition { return both{left, right} })
}

// chain reads operands between marks, from left to right.
func (p *proposition) chain(mark string, operand func() (Condition, error), join func(left, right Condition) Condition) (Condition, error) {
	left, err := operand()
	for err == nil && p.next() == mark {
		p.words = p.words[1:]
		var right Condition
		if right, err = operand(); err == nil {
			left = join(left, right)
		}
	}
	return left, err
}

func (p *proposition) not() (Condition, error) {
	if p.depth++; p.depth > maxNesting {
		return nil, errors.New("condition is nested too deep")
	}
	defer func() { p.depth-- }()
	switch word := p.next(); word {
	case "":
		return nil, errors.New("condition ends too early")
	case "~", "not":
		p.words = p.words[1:]
		c, err := p.not()
		return negation{c}, err
	case "(":
		p.words = p.words[1:]
		c, err := p.or()
		if err == nil && p.next() != ")" {
			err = errors.New("parenthesis is not closed")
		}
		if err == nil {
			p.words = p.words[1:]
		}
		return c, err
	case "true":
		p.words = p.words[1:]
		return truth{}, nil
	default:
		p.words = p.words[1:]
		return p.atom(word)
	}
}

// atom reads "0:rax=1", "x=1", "[x]=1", or "0:rax=x" with an address.
func (p *proposition) atom(word string) (Condition, error) {
	left, right, ok := strings.Cut(word, "=")
	if !ok {
		return nil, fmt.Errorf("%q: want VARIABLE=VALUE", word)
	}
	v, err := p.arch.variable(strings.TrimSpace(left))
	if err != nil {
		return nil, err
	}
	n := int64(0)
	if loc := p.test.location(strings.TrimSpace(right)); loc >= 0 {
		n = address(loc)
	} else if n, err = number(right); err != nil {
		return nil, err
	}
	return equal{v: v, value: p.test.shown(v, n), text: p.test.text(Variable{}, n)}, nil
}

// variable reads "0:rax", "x" or "[x]". Registers have their 64-bit names.
func (a *architecture) variable(text string) (Variable, error) {
	if thread, name, ok := strings.Cut(text, ":"); ok {
		n, err := strconv.Atoi(strings.TrimPrefix(strings.TrimSpace(thread), "P"))
		r, known := a.register(strings.TrimPrefix(strings.TrimSpace(name), "%"))
		if err != nil || n < 0 || !known {
			return Variable{}, fmt.Errorf("%q is no register of a thread", text)
		}
		return Variable{n, r}, nil
	}
	name := strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	if !isName(name) {
		return Variable{}, fmt.Errorf("%q is no location", text)
	}
	return Variable{-1, name}, nil
}

func isName(s string) bool {
	for i, c := range s {
		letter := c == '_' || c == '.' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// number reads a decimal or hexadecimal constant.
func number(text string) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 0, 64)
	if all, e := strconv.ParseUint(strings.TrimSpace(text), 0, 64); err != nil && e == nil {
		n, err = int64(all), nil // the bits of a negative number
	}
	if err != nil {
		return 0, fmt.Errorf("%q is no constant", strings.TrimSpace(text))
	}
	if isAddress(n) {
		return 0, fmt.Errorf("the constant %s is not supported: it stands for an address", strings.TrimSpace(text))
	}
	return n, nil
}
