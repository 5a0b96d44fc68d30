package syntax

import "slices"

func (m *modernizer) block(b *Block) {
	for s := range b.All() {
		switch s := s.(type) {
		case *ExprStmt:
			if call, ok := s.X.(*Call); ok && call.Func.Name == "profileMsgDelay" && len(call.Args) == 2 {
				if port, ok := call.Args[1].(*MethodCall); ok { // statistics, but for the dequeue
					s.X = port
				}
			}
			m.expr(s.X)
		case *Assign:
			m.expr(s.Left)
			m.expr(s.Right)
			m.cycles(&s.Right)
		case *Enqueue:
			m.typeName(&s.Type)
			m.expr(s.Latency)
			m.expr(s.Bypass)
			if m.memory && s.Type.Name == "MemoryMsg" {
				s.Body.Stmts = requestOf(s.Body.Stmts)
			}
		case *Peek:
			m.typeName(&s.Type)
			m.pairs(s.Pairs)
		case *Return:
			m.expr(s.X)
		case *If:
			m.expr(s.Cond)
		}
	}
}

// requestOf has a request to memory name as its sender who asked for the line, which the
// answer names, in the place of the directory.
func requestOf(list []Stmt) []Stmt {
	asks := func(s Stmt, field string) *Member {
		a, ok := s.(*Assign)
		if !ok {
			return nil
		}
		left, ok := a.Left.(*Member)
		if !ok || left.Field.Name != field {
			return nil
		}
		return left
	}
	if !slices.ContainsFunc(list, func(s Stmt) bool { return asks(s, "OriginalRequestorMachId") != nil }) {
		return list
	}
	list = slices.DeleteFunc(slices.Clone(list), func(s Stmt) bool { return asks(s, "Sender") != nil })
	for _, s := range list {
		if left := asks(s, "OriginalRequestorMachId"); left != nil {
			left.Field.Name = "Sender"
		}
	}
	return list
}

func (m *modernizer) expr(x Expr) {
	if x == nil {
		return
	}
	for _, inner := range Operands(x) {
		m.expr(inner)
	}
	switch x := x.(type) {
	case *Name:
		m.field(&x.Name)
	case *Member:
		m.field(&x.Field.Name)
	case *Local:
		m.typeName(&x.Type)
		m.field(&x.Name.Name)
	case *Cast:
		m.typeName(&x.Type)
	case *New:
		m.typeName(&x.Type)
	case *EnumLit:
		m.rename(&x.Type.Name)
		if x.Type.Name == "MachineType" {
			m.machine(x.Value.Name)
		}
	case *Call:
		m.call(x)
	case *MethodCall:
		m.methodCall(x)
	}
}

// cycles converts the delay of a message, which is in ticks since dequeue takes the time.
func (m *modernizer) cycles(x *Expr) {
	if call, ok := (*x).(*MethodCall); ok && m.untimed[call] {
		*x = &Call{Func: Ident{call.Method.Pos, "ticksToCycles"}, Args: []Expr{call}}
	}
}

func (m *modernizer) call(x *Call) {
	name := x.Func.Name
	for i := range x.Args {
		m.cycles(&x.Args[i])
	}
	if name == "trigger" && len(x.Args) == 2 && m.entries && m.values.Line == 0 {
		m.values = x.Func.Pos
	}
	if today, ok := renamedFunctions[name]; ok {
		x.Func.Name = today
		return
	}
	machine, ok := mappings[name]
	if !ok || len(x.Args) != 1 {
		return
	}
	pos := x.Func.Pos
	args := []Expr{x.Args[0], &EnumLit{EnumName: EnumName{Type: Ident{pos, "MachineType"}, Value: Ident{pos, machine}}}}
	m.machine(machine)
	if name == "map_Address_to_DirectoryNode" {
		x.Func.Name, x.Args = "machineIDToNodeID", []Expr{&Call{Func: Ident{pos, "mapAddressToMachine"}, Args: args}}
		return
	}
	x.Func.Name, x.Args = "mapAddressToMachine", args
}

// methodCall gives a call the times and addresses that the method takes today.
func (m *modernizer) methodCall(x *MethodCall) {
	if name, ok := renamedMethods[x.Method.Name]; ok {
		x.Method.Name = name
	}
	pos := x.Method.Pos
	call := func(name string, args ...Expr) Expr { return &Call{Func: Ident{pos, name}, Args: args} }
	address := &Name{ExprNode: ExprNode{pos}, Name: "address"}
	port, _ := x.X.(*Name)
	switch name, n := x.Method.Name, len(x.Args); {
	case (name == "isReady" || name == "dequeue") && n == 0:
		x.Args = []Expr{call("clockEdge")}
		m.untimed[x] = name == "dequeue"
	case name == "recycle" && n == 0:
		x.Args = []Expr{call("clockEdge"), call("cyclesToTicks", &Name{ExprNode: ExprNode{pos}, Name: "recycle_latency"})}
	case name == "set" && n == 2 && port != nil && m.delays != "Tick": // of a timer
		if m.delays == "int" {
			x.Args[1] = call("intToCycles", x.Args[1])
		}
		x.Args[1] = call("clockEdge", x.Args[1])
	case (name == "readCallback" || name == "writeCallback") && n > 2 && m.generic:
		x.Args = []Expr{x.Args[0], x.Args[2]}
	case name == "ackCallback" && n == 0:
		x.Args = []Expr{address}
	case name == "dataCallback" && n == 1:
		x.Args = append(x.Args, address)
	}
}

// directoryEntry is a function that returns the entry of a line in a directory, if d does:
// until 2011 the lookup made an entry where there was none (DirectoryMemory::lookup).
func (m *modernizer) directoryEntry(d *Func) *Func {
	if m.directory == "" || d.Body == nil || len(d.Params) != 1 || len(d.Body.Stmts) != 1 {
		return nil
	}
	ret, _ := d.Body.Stmts[0].(*Return)
	if ret == nil {
		return nil
	}
	cast, _ := ret.X.(*Cast)
	if cast == nil {
		return nil
	}
	lookup, _ := cast.X.(*Index)
	if lookup == nil {
		return nil
	}
	directory, _ := lookup.X.(*Name)
	if directory == nil || directory.Name != m.directory {
		return nil
	}
	entry, in, addr := d.Result.Name, directory.Name, d.Params[0].Name.Name
	return today(d.Pos, entry+" f(Addr "+addr+`), return_by_pointer="yes" {`+
		entry+` entry := static_cast(`+entry+`, "pointer", `+in+`[`+addr+`]); if (is_valid(entry)) { return entry; }`+
		` return static_cast(`+entry+`, "pointer", `+in+`.allocate(`+addr+`, new `+entry+`)); }`)[0].(*Func)
}
