package syntax

// form is what the parser and the printer do with the parts of a construct: the
// parser reads them, the printer writes them. declForm and stmtForm describe
// the constructs for both. A what names a part in the parser's messages.
type form interface {
	word(keyword string)
	head(keyword string) // the keyword and "("
	tail()               // ")"
	comma()
	end() // ";"
	ident(id *Ident, what string)
	typeName(t *TypeName)
	enumName(e *EnumName)
	text(s *string, what string)      // in quotes
	names(list *[]Ident, what string) // separated by commas; may be none
	pairs(list *Pairs)                // each after a comma
	expr(x *Expr)
	optional(x *Expr) bool // after a comma
	latency(x *Expr) bool  // likewise; with a name in the older language
	block(b **Block)
	machineName(d *Machine)
	machineBody(d *Machine)
	transition(d *Transition)
	members(list *[]Decl)
	values(list *[]EnumValue)
	states(list *[]State)
}

var structKeywords = [...]string{Structure: "structure", Global: "global", ExternalType: "external_type"}

// declForm is the form of a declaration that starts with a keyword.
func declForm(f form, d Decl) {
	switch d := d.(type) {
	case *Protocol:
		f.word("protocol")
		f.text(&d.Name, "the protocol's name in quotes")
		f.names(&d.Options, "an option of the protocol")
		f.end()
	case *Include:
		f.word("include")
		f.text(&d.Path, "a file name in quotes")
		f.end()
	case *Machine:
		f.head("machine")
		f.machineName(d)
		f.pairs(&d.Pairs)
		f.tail()
		f.machineBody(d)
	case *Action:
		f.head("action")
		f.ident(&d.Name, "an action's name")
		f.pairs(&d.Pairs)
		f.tail()
		f.block(&d.Body)
	case *InPort:
		f.head("in_port")
		portForm(f, &d.Name, &d.Type, &d.Buffer, &d.Pairs)
		f.block(&d.Body)
	case *OutPort:
		f.head("out_port")
		portForm(f, &d.Name, &d.Type, &d.Buffer, &d.Pairs)
		f.end()
	case *Transition:
		f.transition(d)
	case *Struct:
		f.head(structKeywords[d.Kind])
		typeForm(f, &d.Name, &d.Pairs)
		if p, ok := f.(*parser); ok && d.Kind == ExternalType && p.is("{") {
			p.see(&p.older, "an external_type with members")
			d.Kind = Structure
			d.Pairs = append(d.Pairs, Pair{Pos: d.Pos, Kind: StringPair, Key: "external", Value: "yes"})
		}
		if d.Kind == ExternalType {
			f.end()
		} else {
			f.members(&d.Members)
		}
	case *Enum:
		f.head("enumeration")
		typeForm(f, &d.Name, &d.Pairs)
		f.values(&d.Values)
	case *StateDecl:
		f.head("state_declaration")
		typeForm(f, &d.Name, &d.Pairs)
		f.states(&d.States)
	}
}

func portForm(f form, name *Ident, typ *TypeName, buffer *Ident, pairs *Pairs) {
	f.ident(name, "a port's name")
	f.comma()
	f.typeName(typ)
	f.comma()
	f.ident(buffer, "a message buffer")
	f.pairs(pairs)
	f.tail()
}

func typeForm(f form, name *TypeName, pairs *Pairs) {
	f.typeName(name)
	f.pairs(pairs)
	f.tail()
}

func valueForm(f form, v *EnumValue) {
	f.ident(&v.Name, "an enumerator")
	f.pairs(&v.Pairs)
	f.end()
}

func stateForm(f form, s *State) {
	f.ident(&s.Name, "a state")
	f.comma()
	f.enumName(&s.Permission)
	f.pairs(&s.Pairs)
	f.end()
}

var (
	enqueueKeywords = map[bool]string{false: "enqueue", true: "defer_enqueueing"}
	portKeywords    = [...]string{StallAndWait: "stall_and_wait", WakeupPort: "wakeup_port", CheckProbe: "check_on_cache_probe"}
)

// stmtForm is the form of a statement that starts with a keyword, if apart.
func stmtForm(f form, s Stmt) {
	switch s := s.(type) {
	case *Enqueue:
		f.head(enqueueKeywords[s.Deferred])
		f.ident(&s.Port, "an out_port")
		f.comma()
		f.typeName(&s.Type)
		if !s.Deferred && f.latency(&s.Latency) {
			f.optional(&s.Bypass)
		}
		f.tail()
		f.block(&s.Body)
	case *Peek:
		f.head("peek")
		f.ident(&s.Port, "an in_port")
		f.comma()
		typeForm(f, &s.Type, &s.Pairs)
		f.block(&s.Body)
	case *PortStmt:
		f.head(portKeywords[s.Kind])
		f.ident(&s.Port, "an in_port")
		f.comma()
		f.ident(&s.Addr, "a variable that holds an address")
		f.tail()
		f.end()
	case *CheckAllocate:
		f.head("check_allocate")
		f.ident(&s.Table, "a table")
		f.tail()
		f.end()
	case *CheckNextCycle:
		f.head("check_next_cycle")
		f.tail()
		f.end()
	case *CheckStopSlots:
		f.head("check_stop_slots")
		f.ident(&s.Table, "a table")
		f.comma()
		f.text(&s.First, "a string")
		f.comma()
		f.text(&s.Second, "a string")
		f.tail()
		f.end()
	case *Return:
		f.word("return")
		f.expr(&s.X)
		f.end()
	}
}
