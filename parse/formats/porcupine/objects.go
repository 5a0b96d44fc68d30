package porcupine

import (
	"cmp"
	"slices"
	"strings"

	"ordeal/parse"
	"ordeal/parse/formats/internal/trace"
	"ordeal/parse/objects"
)

// objects makes the history of objects, in which values may repeat. Left out is what had
// no effect and tells nothing: what failed, but for a cas that compared, and reads without
// an answer.
func (r *reader) objects() *objects.History {
	var threads, keys trace.Names
	index := func(names *trace.Names, name string) int32 { return names.Index([]byte(name)) }
	values := map[string]objects.Value{nothing: 0}
	h := &objects.History{Values: []string{nothing}, Ops: make([]objects.Op, 0, len(r.ops))}
	any := func(is func(o *operation) bool) bool {
		return slices.ContainsFunc(r.ops, func(o operation) bool {
			return o.outcome == ok && slices.ContainsFunc(o.parts, func(part operation) bool { return is(&part) }) || is(&o) && (o.kind != read || o.outcome == ok)
		})
	}
	isRead := func(value string) bool {
		return any(func(o *operation) bool { return o.kind == read && o.from == value })
	}
	grows := any(func(o *operation) bool { return o.kind == add })
	if isRead("0") && !isRead(nothing) && !grows { // then a register begins with 0
		values["0"], h.Values[0] = 0, "0"
	}
	value := func(text string) objects.Value {
		v, is := values[text]
		if !is {
			v = objects.Value(len(h.Values))
			values[text] = v
			h.Values = append(h.Values, text)
		}
		return v
	}
	hasTxn := slices.ContainsFunc(r.ops, func(o operation) bool { return o.kind == txn })
	called := make([]int32, len(r.ops))
	for i := range called {
		called[i] = int32(i)
	}
	slices.SortStableFunc(called, func(a, b int32) int { return cmp.Compare(r.ops[a].time.Call, r.ops[b].time.Call) })
	for _, i := range called {
		o := &r.ops[i]
		made := objects.Op{Kind: kinds[o.kind], Times: o.time, Line: o.line, Failed: o.outcome == failed}
		if o.kind == read && o.outcome != ok || made.Failed && (o.kind != cas || !o.compared) {
			continue
		}
		made.Thread = index(&threads, o.client)
		if o.kind != txn {
			made.Key, made.From, made.To = index(&keys, o.key), value(o.from), value(o.to)
		}
		for _, part := range o.parts {
			if part.kind == read && o.outcome != ok {
				continue // it returned nothing that is known
			}
			made.Parts = append(made.Parts, objects.Op{
				Kind: kinds[part.kind], Key: index(&keys, part.key), From: value(part.from), To: value(part.to),
			})
		}
		if hasTxn && o.kind != txn {
			made = objects.Op{Kind: objects.Txn, Thread: made.Thread, Times: made.Times, Line: made.Line, Parts: []objects.Op{made}}
		}
		if made.Times.Return == parse.Pending && made.Pure() {
			continue
		}
		h.Ops = append(h.Ops, made)
	}
	h.Threads, h.Keys = threads.List, keys.List
	if len(h.Keys) == 0 {
		h.Keys = []string{defaultKey}
	}
	return h
}

var kinds = map[kind]objects.Kind{read: objects.Read, write: objects.Write, cas: objects.CAS, add: objects.Append, txn: objects.Txn}

// transaction reads the operations of a transaction: [[:r x nil] [:w y 2] [:append z 1]].
func transaction(f form) (parts []operation, ok bool) {
	for _, op := range f.list {
		if len(op.list) != 3 {
			return nil, false
		}
		k, err := verb(strings.TrimPrefix(op.list[0].text, ":"))
		if err != nil || k == cas || k == txn {
			return nil, false
		}
		o := operation{kind: k, key: strings.TrimPrefix(op.list[1].text, ":")}
		switch v := op.list[2]; {
		case k == read:
			o.from = v.joined()
		case v.list != nil || v.other:
			return nil, false
		case k == add:
			o.to = "," + v.text
		default:
			o.to = v.text
		}
		parts = append(parts, o)
	}
	return parts, f.list != nil
}

// joined is a value, of a list its elements, each after a comma: as appending them makes it.
func (f *form) joined() string {
	if f.list == nil {
		return f.text
	}
	var b strings.Builder
	for _, e := range f.list {
		b.WriteString("," + e.text)
	}
	return b.String()
}
