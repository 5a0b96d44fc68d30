// Package formats lists the foreign and own forms of histories, programs and
// results, tells them apart by their content, and says what each can express:
// what is lost on the way from one to another.
package formats

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Holds says what a file of a format holds.
type Holds string

// What files hold.
const (
	Histories Holds = "histories" // any number of executions
	History   Holds = "history"   // one execution
	Program   Holds = "program"
	Results   Holds = "results" // final states of litmus tests
	Sequence  Holds = "events"  // steps without values
)

// Fences says which fences a format can express.
type Fences uint8

// The sets of fences.
const (
	NoFences  Fences = iota
	FullOnly         // full ones
	X86Fences        // MFENCE, LFENCE and SFENCE
	AllFences        // any combination of components
)

// Names says which names of threads or locations a format keeps.
type Names uint8

// The kinds of names. Others are replaced by numbers.
const (
	Numbered    Names = iota // 0, 1, … in order
	Numbers                  // decimal numbers
	Pairs                    // decimal numbers, or two with "_" between them
	Identifiers              // identifiers
	Variables                // numbers and identifiers
	Words                    // words of letters, digits and "_"
)

// Format is a form of files.
type Format struct {
	Name    string
	Title   string // what it is, in a few words
	Holds   Holds
	Reads   bool // from it
	Writes  bool // to it
	Express Express
	_       struct{}
}

// Express says what of a history a format can express besides reads and
// writes.
type Express struct {
	RMW          bool // atomicity of read-modify-writes
	Fences       Fences
	Final        bool // final memory
	Whole        bool // only of all locations
	StoreOrder   bool
	Dependencies bool
	Transactions bool
	Empty        bool // threads without operations
	Threads      Names
	Locations    Names
	Values       bool // as they are
}

var all = Express{
	RMW: true, Fences: AllFences, Final: true, StoreOrder: true, Dependencies: true, Transactions: true,
	Threads: Words, Locations: Words, Values: true,
}

var list = []Format{
	{Name: "axe", Title: "traces of the Axe checker, with extensions", Holds: Histories, Reads: true, Writes: true, Express: all},
	{Name: "native", Title: "Ordeal's log of a run, with its program", Holds: History, Reads: true, Writes: true,
		Express: Express{RMW: true, Fences: FullOnly, Final: true, Whole: true, StoreOrder: true, Transactions: true, Empty: true, Locations: Identifiers}},
	{Name: "plume", Title: "text of Plume: r(key,value,session,txn)", Holds: History, Reads: true, Writes: true,
		Express: Express{Transactions: true, Threads: Numbers, Locations: Numbers, Values: true}},
	{Name: "oplog", Title: "operations of earlier gem5 work: r(var,value,thread,id)", Holds: History, Reads: true, Writes: true,
		Express: Express{Threads: Words, Locations: Words, Values: true}},
	{Name: "dbcop", Title: "text of DBCop: [x:=1 y==2]", Holds: History, Reads: true, Writes: true,
		Express: Express{Transactions: true, Empty: true, Locations: Variables, Values: true}},
	{Name: "dbcop-json", Title: "JSON of DBCop", Holds: History, Reads: true, Writes: true,
		Express: Express{Transactions: true, Empty: true, Locations: Numbers, Values: true}},
	{Name: "dbcop-json-2019", Title: "the same, events as in 2019", Holds: History, Reads: true, Writes: true,
		Express: Express{Transactions: true, Empty: true, Locations: Numbers, Values: true}},
	{Name: "dbcop-json-compact", Title: "the same, events as arrays", Holds: History, Reads: true, Writes: true,
		Express: Express{Transactions: true, Empty: true, Locations: Numbers, Values: true}},
	{Name: "check-test", Title: ".test of PipeCheck, CCICheck and COATCheck", Holds: Histories, Reads: true, Writes: true,
		Express: Express{RMW: true, Fences: X86Fences, Final: true, StoreOrder: true, Dependencies: true, Threads: Pairs, Locations: Pairs, Values: true}},
	{Name: "litmus", Title: "X86_64 test of herd7 and litmus7", Holds: Program, Reads: true, Writes: true,
		Express: Express{RMW: true, Fences: FullOnly, Final: true, Empty: true, Locations: Identifiers}},
	{Name: "program", Title: "Ordeal's program text", Holds: Program, Reads: true, Writes: true},
	{Name: "events", Title: "sequences of events", Holds: Sequence, Reads: true, Writes: true},
	{Name: "litmus7-log", Title: "histograms that litmus7 prints", Holds: Results, Reads: true, Writes: true},
	{Name: "herd7-log", Title: "states that herd7 prints", Holds: Results, Reads: true, Writes: true},
}

// All lists the formats.
func All() []Format { return slices.Clone(list) }

// ByName is the format of a name.
func ByName(name string) (Format, bool) {
	i := slices.IndexFunc(list, func(f Format) bool { return f.Name == name })
	if i < 0 {
		return Format{}, false
	}
	return list[i], true
}

// Matching are the names of the formats that satisfy a predicate, in order.
func Matching(is func(Format) bool) []string {
	var names []string
	for _, f := range list {
		if is(f) {
			names = append(names, f.Name)
		}
	}
	return names
}

// HoldsHistories tells whether a file of the format holds executions.
func (f *Format) HoldsHistories() bool { return f.Holds == History || f.Holds == Histories }

// String says what the format can express, in words, besides reads and writes.
func (e Express) String() string {
	var words []string
	add := func(is bool, word string) {
		if is {
			words = append(words, word)
		}
	}
	add(e.RMW, "rmw")
	add(e.Fences == FullOnly, "full fences")
	add(e.Fences == X86Fences, "x86 fences")
	add(e.Fences == AllFences, "fences")
	add(e.Final, "final memory")
	add(e.StoreOrder, "store order")
	add(e.Dependencies, "dependencies")
	add(e.Transactions, "transactions")
	return strings.Join(words, ", ")
}

// Table lists the formats for people: name, what a file holds, whether it is
// read and written, what a history in it can have besides reads and writes,
// and what it is.
func Table() string {
	rows := [][]string{{"NAME", "HOLDS", "READS", "WRITES", "EXPRESSES", "WHAT IT IS"}}
	mark := func(is bool) string {
		if is {
			return "yes"
		}
		return "no"
	}
	for _, f := range list {
		rows = append(rows, []string{f.Name, string(f.Holds), mark(f.Reads), mark(f.Writes), f.Express.String(), f.Title})
		cell := &rows[len(rows)-1][4]
		switch {
		case f.Express == all:
			*cell = "everything"
		case f.Express == Express{}:
			*cell = "-"
		case *cell == "":
			*cell = "reads and writes only"
		}
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}
