package syntax

import (
	"slices"
	"strings"
)

// modernize gives the files of a protocol that has some in the older language the meaning
// that they had then, in today's language: names of types and functions that gem5 has
// changed since, buffers that were objects of a machine and are parameters, methods of
// ports that took no time, and the declarations that gem5's compiler made by itself.
func modernize(root *File) {
	m := modernizer{has: map[string]bool{}, machines: map[string]bool{}, buffers: map[string]bool{}}
	files := allFiles(root)
	if !slices.ContainsFunc(files, func(f *File) bool { return f.Older }) {
		return
	}
	for _, f := range files {
		m.note(f.Decls)
	}
	for _, f := range files {
		f.Older = true
		f.Decls = m.decls(slices.DeleteFunc(f.Decls, func(d Decl) bool {
			o, ok := d.(*Object)
			return ok && m.buffers[o.Name.Name]
		}))
	}
	m.complete(root)
}

// allFiles lists a file and those that it includes, each once, included ones first.
func allFiles(root *File) []*File {
	var list []*File
	var add func(f *File)
	add = func(f *File) {
		if f == nil || slices.Contains(list, f) {
			return
		}
		for d := range f.Includes() {
			add(d.File)
		}
		list = append(list, f)
	}
	add(root)
	return list
}

type modernizer struct {
	has      map[string]bool // types, objects and functions that are declared outside of machines
	buffers  map[string]bool // buffers of all machines, which are parameters of those that poll them
	generic  bool            // callbacks of cores take a GenericMachineType in front of the data
	machines map[string]bool // names of machines, also those used as MachineType:NAME
	names    []string        // the same in the order of the text
	memory   bool            // in a machine with a MemoryControl
}

// renamedTypes and renamedMethods are what gem5 has other names for since.
var (
	renamedTypes   = map[string]string{"Address": "Addr", "Time": "Tick", "uint64": "uint64_t"}
	renamedMethods = map[string]string{"readyAddress": "nextAddress", "dequeue_getDelayCycles": "dequeue"}
)

// mappings are functions that are one of another name for a type of machine.
var mappings = map[string]string{"map_Address_to_Directory": "Directory", "map_Address_to_DMA": "DMA", "map_Address_to_DirectoryNode": "Directory"}

func (m *modernizer) machine(name string) {
	if !m.machines[name] {
		m.machines[name] = true
		m.names = append(m.names, name)
	}
}

// note collects what is declared.
func (m *modernizer) note(list []Decl) {
	for _, d := range list {
		switch d := d.(type) {
		case *Machine:
			m.machine(d.Name.Value.Name)
			for _, other := range d.Others {
				m.machine(other.Name)
			}
		case *Struct:
			m.has[d.Name.Name] = true
			for _, member := range d.Members {
				if f, ok := member.(*Func); ok && len(f.Params) > 2 && f.Params[1].Type.Name == "GenericMachineType" {
					m.generic = true
				}
			}
		case *Enum:
			m.has[d.Name.Name] = true
		case *Object:
			m.has[d.Name.Name] = true
			if d.Type.Name == "MessageBuffer" {
				m.buffers[d.Name.Name] = true
			}
		case *Func:
			m.has[d.Name.Name] = true
		}
	}
}

func (m *modernizer) typeName(t *TypeName) {
	if name, ok := renamedTypes[t.Name]; ok && !(m.has[name] && m.has[t.Name]) {
		t.Name = name
	}
}

// field renames the fields named as a type is now or was, as gem5 has: Addr and Address.
func (m *modernizer) field(name *string) {
	if (*name == "Addr" || *name == "Address") && m.has["Address"] {
		*name = "addr"
	}
}

func (m *modernizer) pairs(list Pairs) {
	for i := range list {
		if p := &list[i]; p.Key == "block_on" || p.Key == "wake_up" {
			m.field(&p.Value)
		}
	}
}

func (m *modernizer) decls(list []Decl) []Decl {
	for _, d := range list {
		m.decl(d)
	}
	return list
}

func (m *modernizer) decl(d Decl) {
	switch d := d.(type) {
	case *Machine:
		m.machineDecl(d)
	case *Struct:
		m.typeName(&d.Name)
		if of := d.Pairs.Find("interface"); of != nil && of.Value == "NetworkMessage" {
			of.Value = "Message"
		}
		for _, member := range d.Members {
			if f, ok := member.(*Func); ok {
				m.method(d.Name.Name, f)
			}
			m.decl(member)
		}
		d.Members = once(d.Members)
	case *Object:
		m.typeName(&d.Type)
		m.field(&d.Name.Name)
		m.expr(d.Init)
	case *Func:
		m.typeName(&d.Result)
		if d.Name.Name == "profileMsgDelay" && len(d.Params) == 2 {
			d.Params[1].Type.Name = "Cycles"
		}
		for i := range d.Params {
			m.typeName(&d.Params[i].Type)
			m.field(&d.Params[i].Name.Name)
		}
		m.block(d.Body)
	case *Action:
		m.block(d.Body)
	case *InPort:
		m.typeName(&d.Type)
		if m.memory && d.Buffer.Name == memoryControl {
			d.Buffer.Name = "responseFromMemory"
		}
		m.block(d.Body)
	case *OutPort:
		m.typeName(&d.Type)
		if m.memory && d.Buffer.Name == memoryControl {
			d.Buffer.Name = "requestToMemory"
		}
	}
}

// once drops methods that have become the same as an earlier one.
func once(members []Decl) []Decl {
	var list []Decl
	for _, d := range members {
		f, ok := d.(*Func)
		if !ok || !slices.ContainsFunc(list, func(e Decl) bool {
			g, ok := e.(*Func)
			return ok && g.Name.Name == f.Name.Name && slices.EqualFunc(g.Params, f.Params, func(a, b Param) bool { return a.Type.Name == b.Type.Name })
		}) {
			list = append(list, d)
		}
	}
	return list
}

// method gives the methods of ports, timers and devices the times and addresses that they
// take since, and drops what is none now.
func (m *modernizer) method(class string, f *Func) {
	takes := func(types ...string) {
		f.Params = nil
		for _, t := range types {
			f.Params = append(f.Params, Param{Type: TypeName{Pos: f.Name.Pos, Name: t}})
		}
	}
	if name, ok := renamedMethods[f.Name.Name]; ok {
		f.Name.Name = name
	}
	switch key := class + "." + f.Name.Name; {
	case (key == "InPort.isReady" || key == "TimerTable.isReady") && len(f.Params) == 0:
		takes("Tick")
	case key == "InPort.dequeue" && len(f.Params) == 0:
		f.Result.Name = "Tick"
		takes("Tick")
	case key == "InPort.recycle" && len(f.Params) == 0:
		takes("Tick", "Tick")
	case key == "TimerTable.set":
		takes("Address", "Tick")
	case strings.HasSuffix(key, "Callback") && len(f.Params) > 2 && f.Params[1].Type.Name == "GenericMachineType":
		f.Params = slices.Delete(f.Params, 1, 2)
		if len(f.Params) == 2 {
			f.Params = append(f.Params, Param{Type: TypeName{Pos: f.Name.Pos, Name: "bool"}})
		}
	case key == "DMASequencer.ackCallback" && len(f.Params) == 0:
		takes("Address")
	case key == "DMASequencer.dataCallback" && len(f.Params) == 1:
		takes("DataBlock", "Address")
	}
}

// memoryControl is the name of the memory of directories until 2013, which was a port
// both ways.
const memoryControl = "memBuffer"

func (m *modernizer) machineDecl(d *Machine) {
	m.memory = false
	d.Others = nil
	object := func(typ, name string) *Object {
		return &Object{DeclNode: DeclNode{d.Pos}, Type: TypeName{Pos: d.Pos, Name: typ}, Pointer: true, Name: Ident{d.Pos, name}}
	}
	var params []*Object
	for _, p := range d.Params {
		if p.Type.Name == "MemoryControl" {
			m.memory = true
			continue
		}
		if s, ok := p.Init.(*Bool); ok { // which Python reads today
			p.Init = &String{ExprNode: s.ExprNode, Value: map[bool]string{true: "True", false: "False"}[s.Value]}
		}
		params = append(params, p)
	}
	d.Params = params
	if m.memory {
		d.Params = append(d.Params, object("MessageBuffer", "requestToMemory"), object("MessageBuffer", "responseFromMemory"))
	}
	perfectEntries(d.Body)
	body := d.Body[:0:0]
	for _, decl := range d.Body {
		o, ok := decl.(*Object)
		if ok { // names of C++ had the machine's name in them
			if value := o.Pairs.Find("default"); value != nil {
				value.Value = strings.ReplaceAll(value.Value, "*m_"+d.Name.Value.Name+"_", "*m_")
			}
		}
		if ok && o.Type.Name == "MessageBuffer" {
			o.Pointer = true
			d.Params = append(d.Params, o)
			continue
		}
		if f, ok := decl.(*Func); ok && (clocks[f.Name.Name] || mappings[f.Name.Name] != "") {
			continue
		}
		if p, ok := decl.(*InPort); ok && m.buffers[p.Buffer.Name] {
			d.Params = append(d.Params, object("MessageBuffer", p.Buffer.Name))
		}
		body = append(body, decl)
	}
	for _, p := range d.Params {
		m.decl(p)
	}
	d.Body = slices.Concat(m.clocks(d.Pos), m.decls(body), permissions(d.Pos, body))
	m.memory = false
}

// perfectEntries has the entries of a PerfectCacheMemory be references, as entries are
// today.
func perfectEntries(body []Decl) {
	var entry string
	for _, d := range body {
		s, ok := d.(*Struct)
		if !ok || s.Name.Name != "PerfectCacheMemory" {
			continue
		}
		for _, member := range s.Members {
			if f, ok := member.(*Func); ok && f.Name.Name == "lookup" {
				entry = f.Result.Name
			}
		}
	}
	for _, d := range body {
		if s, ok := d.(*Struct); ok && s.Name.Name == entry && !s.Pairs.Has("interface") {
			s.Pairs = append(s.Pairs, Pair{Pos: s.Pos, Kind: StringPair, Key: "interface", Value: "AbstractEntry"})
		}
	}
}

// permissions are the functions about access permissions that every machine has today:
// in GEMS and until 2011 setState set them.
func permissions(pos Pos, body []Decl) []Decl {
	has := map[string]bool{}
	var state, entry []Param
	for _, d := range body {
		switch d := d.(type) {
		case *Func:
			has[d.Name.Name] = true
		case *StateDecl:
			state = []Param{{Type: TypeName{pos, d.Name.Name}, Name: Ident{pos, "state"}}}
		case *Struct:
			if of, _ := d.Pairs.Get("interface"); of == "AbstractCacheEntry" && entry == nil && !d.Pairs.isFalse("main") {
				entry = []Param{{Type: d.Name, Name: Ident{pos, "entry"}}}
			}
		case *Include:
			return nil // they may be there
		}
	}
	addr := []Param{{Type: TypeName{pos, "Addr"}, Name: Ident{pos, "addr"}}}
	var list []Decl
	if !has["getAccessPermission"] {
		unknown := &EnumLit{EnumName: EnumName{Type: Ident{pos, "AccessPermission"}, Value: Ident{pos, "NotPresent"}}}
		list = append(list, &Func{DeclNode: DeclNode{pos}, Result: TypeName{pos, "AccessPermission"}, Name: Ident{pos, "getAccessPermission"}, Params: addr,
			Body: &Block{StmtNode: StmtNode{pos}, Stmts: []Stmt{&Return{StmtNode: StmtNode{pos}, X: unknown}}}})
	}
	if !has["setAccessPermission"] && state != nil {
		list = append(list, &Func{DeclNode: DeclNode{pos}, Result: TypeName{pos, "void"}, Name: Ident{pos, "setAccessPermission"},
			Params: slices.Concat(entry, addr, state), Body: &Block{StmtNode: StmtNode{pos}}})
	}
	return list
}

// clocks are the functions of time that every machine declares today.
var clocks = map[string]bool{"clockEdge": true, "cyclesToTicks": true, "ticksToCycles": true, "mapAddressToMachine": true}

func (m *modernizer) clocks(pos Pos) []Decl {
	function := func(result, name string, params ...string) Decl {
		f := &Func{DeclNode: DeclNode{pos}, Result: TypeName{pos, result}, Name: Ident{pos, name}}
		for _, t := range params {
			f.Params = append(f.Params, Param{Type: TypeName{pos, t}})
		}
		return f
	}
	var list []Decl
	if !m.has["clockEdge"] {
		list = append(list, function("Tick", "clockEdge"), function("Tick", "clockEdge", "Cycles"))
	}
	if !m.has["cyclesToTicks"] {
		list = append(list, function("Tick", "cyclesToTicks", "Cycles"))
	}
	if !m.has["ticksToCycles"] {
		list = append(list, function("Cycles", "ticksToCycles", "Tick"))
	}
	if !m.has["mapAddressToMachine"] {
		list = append(list, function("MachineID", "mapAddressToMachine", "Addr", "MachineType"))
	}
	return list
}

// complete declares in front of the root file what gem5's compiler knew by itself then, and
// what has been declared since.
func (m *modernizer) complete(root *File) {
	pos := Pos{File: root.Name, Line: 1, Col: 1}
	native := func(name, value string) Decl {
		d := &Struct{DeclNode: DeclNode{pos}, Kind: ExternalType, Name: TypeName{pos, name}, Pairs: Pairs{{Pos: pos, Kind: StringPair, Key: "primitive", Value: "yes"}}}
		if value != "" {
			d.Pairs = append(d.Pairs, Pair{Pos: pos, Kind: StringPair, Key: "default", Value: value})
		}
		return d
	}
	var list []Decl
	if !m.has["Tick"] && !m.has["Time"] {
		list = append(list, native("Tick", "0"))
	}
	if !m.has["Cycles"] {
		list = append(list, native("Cycles", "Cycles(0)"))
	}
	if !m.has["MachineType"] {
		e := &Enum{DeclNode: DeclNode{pos}, Name: TypeName{pos, "MachineType"}, Pairs: Pairs{{Pos: pos, Kind: StringPair, Key: "default", Value: "MachineType_NULL"}}}
		m.machine("NULL")
		for _, name := range m.names {
			e.Values = append(e.Values, EnumValue{Name: Ident{pos, name}})
		}
		list = append(list, e)
	}
	at := 1 + slices.IndexFunc(root.Decls, func(d Decl) bool {
		_, ok := d.(*Protocol)
		return ok
	})
	root.Decls = slices.Insert(root.Decls, at, list...)
	if first := slices.IndexFunc(root.Decls, hasMachine); first >= 0 && !m.has["recycle_latency"] {
		root.Decls = slices.Insert(root.Decls, first, Decl(&Object{DeclNode: DeclNode{pos}, Type: TypeName{pos, "Cycles"}, Name: Ident{pos, "recycle_latency"}}))
	}
}

// hasMachine reports whether a declaration is a machine, or includes one.
func hasMachine(d Decl) bool {
	if include, ok := d.(*Include); ok && include.File != nil {
		return slices.ContainsFunc(include.File.Decls, hasMachine)
	}
	_, ok := d.(*Machine)
	return ok
}
