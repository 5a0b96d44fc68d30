package journal

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"ordeal/campaigns/rundir"
)

// lines decodes lines of the journal. It does what json.Unmarshal does, several
// times as fast on the form that json.Marshal writes, and leaves what it does not
// know to json.Unmarshal: single members, or the whole line. The zero value is
// ready.
type lines struct {
	text []byte
	at   int
	// words holds the short strings that many lines share.
	words map[string]string
}

// maxWords bounds the words that are kept.
const maxWords = 1000

// decode decodes a line, which is a JSON object, into an entry that is empty but
// for an empty Result.
func (l *lines) decode(text []byte, e *Entry) error {
	l.text, l.at = bytes.TrimSpace(text), 0
	fast := &Entry{Result: &rundir.Result{}}
	var others []byte
	if !l.object(func(key []byte) bool { return l.member(key, fast, &others) }) || l.at != len(l.text) {
		return json.Unmarshal(l.text, e)
	}
	if len(others) > 0 {
		others[0] = '{'
		if json.Unmarshal(append(others, '}'), fast) != nil {
			return json.Unmarshal(l.text, e) // whose error has the place in the line
		}
	}
	*e = *fast
	return nil
}

// lineMembers are the members of a line that are decoded here.
var lineMembers = []string{
	"number", "at_ns", "config", "program", "kept", "known", "counts", "version", "outcome", "title", "detail", "executable_sha256",
	"log_sha256", "operations", "answers", "covered", "elapsed_ns",
}

// member decodes a member of the line, or adds it to the others.
func (l *lines) member(key []byte, e *Entry, others *[]byte) bool {
	switch string(key) {
	case "number":
		return l.int(&e.Number)
	case "at_ns":
		return l.duration(&e.At)
	case "config":
		return l.word(&e.ConfigName)
	case "program":
		return l.string(&e.Program)
	case "kept":
		return l.bool(&e.Kept)
	case "known":
		return l.int(&e.Known)
	case "counts":
		return l.counts(&e.Counts)
	case "version":
		return l.int(&e.Version)
	case "outcome":
		var name string
		return l.word(&name) && e.Outcome.UnmarshalText([]byte(name)) == nil
	case "title":
		return l.word(&e.Title)
	case "detail":
		return l.string(&e.Detail)
	case "executable_sha256":
		return l.string(&e.ExecutableHash)
	case "log_sha256":
		return l.string(&e.LogHash)
	case "operations":
		return l.int(&e.Operations)
	case "answers":
		return l.answers(&e.Answers)
	case "covered":
		e.Covered = new(rundir.Covered)
		return l.object(func(key []byte) bool { return l.coveredMember(key, e.Covered) })
	case "elapsed_ns":
		return l.duration(&e.Elapsed)
	case "crc32c": // rundir.Unseal has checked it
		_, plain, ok := l.raw()
		return ok && plain
	}
	return l.other(key, others)
}

func (l *lines) coveredMember(key []byte, c *rundir.Covered) bool {
	switch string(key) {
	case "taken":
		return l.int(&c.Taken)
	case "total":
		return l.int(&c.Total)
	case "new":
		return l.int(&c.New)
	}
	return false
}

func (l *lines) answerMember(key []byte, a *rundir.Answer) bool {
	switch string(key) {
	case "model":
		return l.word(&a.Model)
	case "answer":
		return l.word(&a.Answer)
	case "procedure":
		return l.word(&a.Procedure)
	case "reason":
		return l.word(&a.Reason)
	case "search_ns":
		return l.duration(&a.Search)
	case "evidence_ns":
		return l.duration(&a.Evidence)
	}
	return false
}

// other keeps a member for json.Unmarshal: not where its name is another
// spelling of one that is decoded here, whose order would count.
func (l *lines) other(key []byte, others *[]byte) bool {
	for _, name := range lineMembers {
		if strings.EqualFold(name, string(key)) {
			return false
		}
	}
	from := l.at
	if !l.skip() {
		return false
	}
	*others = append(*others, ',', '"')
	*others = append(append(*others, key...), '"', ':')
	*others = append(*others, l.text[from:l.at]...)
	return true
}

// skip passes over a value, whose insides json.Unmarshal checks.
func (l *lines) skip() bool {
	depth := 0
	for l.at < len(l.text) {
		switch c := l.text[l.at]; c {
		case '"':
			if _, _, ok := l.raw(); !ok {
				return false
			}
			if depth == 0 {
				return true
			}
			continue
		case '{', '[':
			depth++
		case '}', ']', ',':
			if depth == 0 {
				return true
			}
			if c != ',' {
				depth--
				if depth == 0 {
					l.at++
					return true
				}
			}
		}
		l.at++
	}
	return false
}

// is passes over a character if it is the next one.
func (l *lines) is(c byte) bool {
	if l.at < len(l.text) && l.text[l.at] == c {
		l.at++
		return true
	}
	return false
}

// object decodes an object without white space whose members have plain names,
// none twice.
func (l *lines) object(member func(key []byte) bool) bool {
	if !l.is('{') {
		return false
	}
	if l.is('}') {
		return true
	}
	var room [32][]byte
	seen := room[:0]
	for {
		key, plain, ok := l.raw()
		if !ok || !plain || !l.is(':') {
			return false
		}
		for _, k := range seen {
			if bytes.Equal(k, key) {
				return false
			}
		}
		seen = append(seen, key)
		if !member(key) {
			return false
		}
		if !l.is(',') {
			return l.is('}')
		}
	}
}

// raw passes over a string: without its quotes if it is plain, of printable
// ASCII and without escapes, else with them.
func (l *lines) raw() (text []byte, plain, ok bool) {
	if !l.is('"') {
		return nil, false, false
	}
	from := l.at
	plain = true
	for l.at < len(l.text) {
		switch c := l.text[l.at]; {
		case c == '"':
			l.at++
			if plain {
				return l.text[from : l.at-1], true, true
			}
			return l.text[from-1 : l.at], false, true
		case c == '\\':
			plain = false
			l.at++
		case c < ' ' || c >= 0x7f:
			plain = false
		}
		l.at++
	}
	return nil, false, false
}

func (l *lines) string(s *string) bool {
	text, plain, ok := l.raw()
	if ok && plain {
		*s = string(text)
		return true
	}
	return ok && json.Unmarshal(text, s) == nil
}

// word decodes a string that many lines share.
func (l *lines) word(s *string) bool {
	from := l.at
	text, plain, ok := l.raw()
	if !ok || !plain {
		l.at = from
		return l.string(s)
	}
	known, ok := l.words[string(text)]
	if !ok {
		known = string(text)
		if l.words == nil {
			l.words = make(map[string]string)
		}
		if len(l.words) < maxWords {
			l.words[known] = known
		}
	}
	*s = known
	return true
}

func (l *lines) bool(b *bool) bool {
	*b = bytes.HasPrefix(l.text[l.at:], []byte("true"))
	if *b {
		l.at += len("true")
		return true
	}
	if bytes.HasPrefix(l.text[l.at:], []byte("false")) {
		l.at += len("false")
		return true
	}
	return false
}

// uint decodes a number of at most 18 digits.
func (l *lines) uint(n *uint64) bool {
	from := l.at
	var v uint64
	for l.at < len(l.text) && l.text[l.at] >= '0' && l.text[l.at] <= '9' {
		v = 10*v + uint64(l.text[l.at]-'0')
		l.at++
	}
	*n = v
	digits := l.at - from
	leading := digits > 1 && l.text[from] == '0'
	// What follows a value in a line; fractions and exponents are others.
	ends := l.at < len(l.text) && (l.text[l.at] == ',' || l.text[l.at] == '}' || l.text[l.at] == ']')
	return digits >= 1 && digits <= 18 && !leading && ends
}

func (l *lines) int(n *int) bool {
	var v uint64
	ok := l.uint(&v)
	*n = int(v)
	return ok
}

func (l *lines) duration(d *time.Duration) bool {
	var v uint64
	ok := l.uint(&v)
	*d = time.Duration(v)
	return ok
}

func (l *lines) counts(list *[]uint64) bool {
	if !l.is('[') {
		return false
	}
	*list = []uint64{}
	if l.is(']') {
		return true
	}
	commas := bytes.Count(l.text[l.at:l.at+max(0, bytes.IndexByte(l.text[l.at:], ']'))], []byte{','})
	*list = make([]uint64, 0, commas+1)
	for {
		var n uint64
		if !l.uint(&n) {
			return false
		}
		*list = append(*list, n)
		if !l.is(',') {
			return l.is(']')
		}
	}
}

func (l *lines) answers(list *[]rundir.Answer) bool {
	if !l.is('[') {
		return false
	}
	*list = []rundir.Answer{}
	if l.is(']') {
		return true
	}
	*list = make([]rundir.Answer, 0, 4)
	for {
		var a rundir.Answer
		if !l.object(func(key []byte) bool { return l.answerMember(key, &a) }) {
			return false
		}
		*list = append(*list, a)
		if !l.is(',') {
			return l.is(']')
		}
	}
}
