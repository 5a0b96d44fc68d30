// Package formats lists the foreign and own forms of histories, programs and
// results, recognises them by their content, and lists what each can express: what is
// lost in a conversion.
package formats

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"ordeal/parse"
	"ordeal/parse/formats/axe"
	"ordeal/parse/formats/dbcop"
	"ordeal/parse/formats/oplog"
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
	AllFences        // any combination of components
)

// Names says which names of threads or locations a format keeps.
type Names uint8

// The kinds of names. Others are replaced by numbers.
const (
	Numbered    Names = iota // 0, 1, … in order
	Numbers                  // decimal numbers
	Identifiers              // identifiers
	Variables                // numbers and identifiers
	Words                    // words of letters, digits and "_"
)

// Format is a form of files, which is read and written.
type Format struct {
	Name    string
	Title   string // what it is, in a few words
	Holds   Holds
	Express Express

	read  func(in io.Reader, name string, each func(Trace) error) error
	write func(w *Writer, h *parse.History) error
	_     struct{}
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
	Attributes   bool // of operations, and kinds of dependencies
	Transactions bool
	Times        bool // of calls and returns
	Empty        bool // threads without operations
	Threads      Names
	Locations    Names
	Values       bool // as they are
}

var all = Express{
	RMW: true, Fences: AllFences, Final: true, StoreOrder: true, Dependencies: true, Attributes: true, Transactions: true,
	Threads: Words, Locations: Words, Values: true,
}

var list = []Format{
	{
		Name: "axe", Title: "traces of the Axe checker, with extensions", Holds: Histories, Express: all,
		read: readAxe, write: to(axe.Write),
	},
	{
		Name: "native", Title: "Ordeal's log of a run, with its program", Holds: History,
		Express: Express{RMW: true, Fences: FullOnly, Final: true, Whole: true, StoreOrder: true, Transactions: true, Empty: true, Locations: Identifiers},
	},
	{
		Name: "plume", Title: "text of Plume: r(key,value,session,txn)", Holds: History,
		Express: Express{Transactions: true, Threads: Numbers, Locations: Numbers, Values: true},
		read:    one(oplog.Plume.Read), write: to(oplog.Plume.Write),
	},
	{
		Name: "oplog", Title: "operations of earlier gem5 work: r(var,value,thread,id)", Holds: History,
		Express: Express{Threads: Words, Locations: Words, Values: true},
		read:    one(oplog.GEM5.Read), write: to(oplog.GEM5.Write),
	},
	{
		Name: "dbcop", Title: "text of DBCop: [x:=1 y==2]", Holds: History,
		Express: Express{Transactions: true, Empty: true, Locations: Variables, Values: true},
		read:    one(dbcop.ReadText), write: to(dbcop.WriteText),
	},
	{
		Name: "dbcop-json", Title: "JSON of DBCop", Holds: History,
		Express: Express{Transactions: true, Empty: true, Locations: Numbers, Values: true},
		read:    one(whole(dbcop.ReadJSON)), write: to(dbcop.WriteJSON),
	},
	{
		Name: "dbcop-bincode", Title: "bincode of DBCop's first version and PolySI; read only", Holds: History,
		Express: Express{Transactions: true}, read: one(dbcop.ReadBincode),
	},
	{
		Name: "cobra", Title: "log of a client of Cobra, or a directory of them; read only", Holds: History,
		Express: Express{Transactions: true}, read: one(dbcop.ReadCobra),
	},
	{
		Name: "awdit", Title: "text of AWDIT: w KEY VALUE; read only", Holds: History,
		Express: Express{Transactions: true}, read: one(dbcop.ReadAWDIT),
	},
	{
		Name: "porcupine", Title: "registers with times, of users of Porcupine and Jepsen; read only", Holds: History,
		Express: Express{RMW: true, Times: true},
		read:    readObjects,
	},
	{
		Name: "litmus", Title: "X86_64 test of herd7 and litmus7", Holds: Program,
		Express: Express{RMW: true, Fences: FullOnly, Final: true, Empty: true, Locations: Identifiers},
		read:    one(whole(readLitmus)), write: (*Writer).litmus,
	},
	{Name: "program", Title: "Ordeal's program text", Holds: Program},
	{Name: "events", Title: "sequences of events", Holds: Sequence},
	{Name: "litmus7-log", Title: "histograms that litmus7 prints", Holds: Results},
	{Name: "herd7-log", Title: "states that herd7 prints", Holds: Results},
}

// ByName is the format of a name.
func ByName(name string) (Format, bool) {
	for _, f := range list {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

// Matching are the formats that satisfy a predicate, in order; nil is satisfied by
// all.
func Matching(is func(Format) bool) []Format {
	var matching []Format
	for _, f := range list {
		if is == nil || is(f) {
			matching = append(matching, f)
		}
	}
	return matching
}

// NamesOf are the names of formats.
func NamesOf(list []Format) []string {
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Name
	}
	return names
}

// HoldsHistories reports whether a file of the format holds executions.
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
	add(e.Fences == AllFences, "fences")
	add(e.Final, "final memory")
	add(e.StoreOrder, "store order")
	add(e.Dependencies, "dependencies")
	add(e.Transactions, "transactions")
	add(e.Times, "times")
	return strings.Join(words, ", ")
}

// Table lists the formats as text: name, what a file holds, what a history in
// it can have besides reads and writes, and what the format is.
func Table() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tHOLDS\tEXPRESSES\tDESCRIPTION")
	for _, f := range list {
		expresses := f.Express.String()
		switch {
		case f.Express == all:
			expresses = "everything"
		case f.Express == Express{}:
			expresses = "-"
		case expresses == "":
			expresses = "reads and writes only"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", f.Name, f.Holds, expresses, f.Title)
	}
	if err := w.Flush(); err != nil {
		panic(err) // writing to a strings.Builder cannot fail
	}
	return b.String()
}
