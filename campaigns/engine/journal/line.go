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
	// seen holds the names of the members of the objects that are being decoded.
	seen [][]byte
	// spare, if it is not nil, holds the memory of the last entry for the next.
	spare *spare
}

// spare is memory of an entry.
type spare struct {
	entry   Entry
	result  rundir.Result
	answers []rundir.Answer
	counts  []uint64
	covered rundir.Covered
}

// empty is an entry to decode a line into.
func (l *lines) empty() *Entry {
	s := l.spare
	if s == nil {
		return &Entry{Result: new(rundir.Result)}
	}
	s.result = rundir.Result{}
	s.entry = Entry{Result: &s.result}
	return &s.entry
}

// maxWords bounds the words that are kept.
const maxWords = 1000

// decode decodes a line, which is a JSON object, into an entry that is empty but
// for an empty Result.
func (l *lines) decode(text []byte, e *Entry) error {
	l.text, l.at, l.seen = bytes.TrimSpace(text), 0, l.seen[:0]
	var others []byte
	fast := l.object(func(key []byte) bool { return l.member(key, e, &others) }) && l.at == len(l.text)
	if fast && len(others) > 0 {
		others[0] = '{'
		fast = json.Unmarshal(append(others, '}'), e) == nil
	}
	if fast {
		return nil
	}
	*e.Result = rundir.Result{}
	*e = Entry{Result: e.Result}
	return json.Unmarshal(l.text, e) // whose error has the place in the line
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
		if e.Covered = new(rundir.Covered); l.spare != nil {
			e.Covered = &l.spare.covered
			*e.Covered = rundir.Covered{}
		}
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
	outer := len(l.seen)
	for {
		key, plain, ok := l.raw()
		if !ok || !plain || !l.is(':') {
			return false
		}
		for _, k := range l.seen[outer:] {
			if bytes.Equal(k, key) {
				return false
			}
		}
		l.seen = append(l.seen, key)
		if !member(key) {
			return false
		}
		if !l.is(',') {
			l.seen = l.seen[:outer]
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
	if l.spare != nil {
		*list = l.spare.counts[:0]
		defer func() { l.spare.counts = *list }()
	} else {
		commas := bytes.Count(l.text[l.at:l.at+max(0, bytes.IndexByte(l.text[l.at:], ']'))], []byte{','})
		*list = make([]uint64, 0, commas+1)
	}
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
	if l.spare != nil {
		*list = l.spare.answers[:0]
		defer func() { l.spare.answers = *list }()
	} else {
		*list = make([]rundir.Answer, 0, 4)
	}
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
