package syntax

import (
	"cmp"
	"slices"
	"strings"
)

// modernize gives the files of a protocol that has some in the older language the meaning
// that they had then, in today's language: names of types and functions that gem5 has
// changed since, buffers that were objects of a machine and are parameters, methods of
// ports that took no time, and the declarations that gem5's compiler made by itself.
// The fault is the place at which a protocol turns out to be of GEMS, or of gem5 before
// January 2011 (c82a8979a3): entries were values, which transitions got from the caches.
func modernize(root *File) Faults {
	m := modernizer{has: map[string]bool{}, machines: map[string]bool{}, buffers: map[string]bool{}, delays: "Cycles", untimed: map[*MethodCall]bool{}}
	files := allFiles(root)
	if !slices.ContainsFunc(files, func(f *File) bool { return f.Older || slices.ContainsFunc(f.Decls, isMapping) }) {
		return nil
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
	var faults Faults
	if at := m.values; at.Line > 0 {
		faults.Add(at, "this is the language of GEMS and of gem5 before 2011, in which transitions get no entries, but look for them: it is not read (gem5's protocols changed in January 2011, which shows what to write)")
	}
	return faults
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
	has       map[string]bool      // types, objects and functions that are declared outside of machines
	buffers   map[string]bool      // buffers of all machines, which are parameters of those that poll them
	generic   bool                 // callbacks of cores take a GenericMachineType in front of the data
	machines  map[string]bool      // names of machines, also those used as MachineType:NAME
	names     []string             // the same in the order of the text
	memory    bool                 // in a machine with a MemoryControl
	entries   bool                 // in a machine with entries of caches
	values    Pos                  // the first trigger that leaves them out
	makes     bool                 // lookups of a DirectoryMemory make entries
	directory string               // the DirectoryMemory of the machine, if they do
	delays    string               // what set of a timer takes: Cycles or int, or Tick as today
	untimed   map[*MethodCall]bool // calls of dequeue that took no time, and returned cycles
}

// renamedTypes, renamedFunctions and renamedMethods have other names in gem5 since.
var (
	renamedTypes     = map[string]string{"Address": "Addr", "Time": "Cycles", "CacheMsg": "RubyRequest", "CacheRequestType": "RubyRequestType", "uint64": "uint64_t"}
	renamedFunctions = map[string]string{"get_time": "curCycle", "wake_up_dependents": "wakeUpBuffers", "wake_up_all_dependents": "wakeUpAllBuffers"}
	renamedMethods   = map[string]string{"readyAddress": "nextAddress", "dequeue_getDelayCycles": "dequeue"}
)

// mappings are functions that are one of another name for a type of machine.
var mappings = map[string]string{"map_Address_to_Directory": "Directory", "map_Address_to_DMA": "DMA", "map_Address_to_DirectoryNode": "Directory"}

// isMapping reports whether a declaration is one of mappings. gem5 had them longer than the
// heads of machines by which the older language is known, until October 2015.
func isMapping(d Decl) bool {
	f, ok := d.(*Func)
	return ok && f.Body == nil && mappings[f.Name.Name] != ""
}

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
				f, ok := member.(*Func)
				if ok && len(f.Params) > 2 && f.Params[1].Type.Name == "GenericMachineType" {
					m.generic = true
				}
				if ok && d.Name.Name == "TimerTable" && f.Name.Name == "set" && len(f.Params) == 2 {
					m.delays = f.Params[1].Type.Name
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

func (m *modernizer) typeName(t *TypeName) { m.rename(&t.Name) }

// rename gives a type its name of today, unless both are declared.
func (m *modernizer) rename(name *string) {
	if today, ok := renamedTypes[*name]; ok && !(m.has[today] && m.has[*name]) {
		*name = today
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
		m.later(d)
	case *Object:
		m.typeName(&d.Type)
		m.field(&d.Name.Name)
		m.expr(d.Init)
	case *Enum:
		m.typeName(&d.Name)
	case *Func:
		m.typeName(&d.Result)
		switch {
		case d.Name.Name == "profileMsgDelay" && len(d.Params) == 2:
			d.Params[1].Type.Name = "Cycles"
		case renamedFunctions[d.Name.Name] != "":
			d.Name.Name = renamedFunctions[d.Name.Name]
		}
		for i := range d.Params {
			m.typeName(&d.Params[i].Type)
			m.field(&d.Params[i].Name.Name)
		}
		m.block(d.Body)
		if entry := m.directoryEntry(d); entry != nil {
			d.Body, d.Pairs = entry.Body, entry.Pairs
		}
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

// later adds members that a type of gem5 has had since, and that the simulator needs.
func (m *modernizer) later(d *Struct) {
	has := func(name string) bool {
		return slices.ContainsFunc(d.Members, func(e Decl) bool {
			switch e := e.(type) {
			case *Func:
				return e.Name.Name == name
			case *Object:
				return e.Name.Name == name
			}
			return false
		})
	}
	switch {
	case d.Name.Name == "NodeID" && !d.Pairs.Has("primitive"):
		d.Pairs = append(d.Pairs, Pair{Pos: d.Pos, Kind: StringPair, Key: "primitive", Value: "yes"})
	case d.Name.Name == "RubyRequest" && !has("contextId"):
		d.Members = append(d.Members, today(d.Pos, "int contextId;")...)
	case d.Name.Name == "DirectoryMemory" && !has("allocate"):
		m.makes = true
		d.Members = append(d.Members, today(d.Pos, "AbstractEntry allocate(Addr, AbstractEntry);")...)
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
	m.memory, m.directory = false, ""
	m.entries = slices.ContainsFunc(d.Body, func(d Decl) bool {
		if s, ok := d.(*Struct); ok {
			of, _ := s.Pairs.Get("interface")
			return of == "AbstractCacheEntry" && !s.Pairs.isFalse("main")
		}
		return false
	})
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
		if m.makes && p.Type.Name == "DirectoryMemory" {
			m.directory = p.Name.Name
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
	shared := map[string]string{}
	for _, decl := range d.Body {
		o, ok := decl.(*Object)
		if ok { // names of C++ had the machine's name in them
			if value := o.Pairs.Find("default"); value != nil {
				value.Value = strings.ReplaceAll(value.Value, "*m_"+d.Name.Value.Name+"_", "*m_")
			}
		}
		if ok && o.Type.Name == "MessageBuffer" {
			if same := sameQueue(d.Params, o); same != "" {
				shared[o.Name.Name] = same
				continue
			}
			o.Pointer = true
			d.Params = append(d.Params, o)
			continue
		}
		if f, ok := decl.(*Func); ok && (clocks[f.Name.Name] || mappings[f.Name.Name] != "") {
			continue
		}
		switch port := decl.(type) {
		case *InPort:
			port.Buffer.Name = cmp.Or(shared[port.Buffer.Name], port.Buffer.Name)
		case *OutPort:
			port.Buffer.Name = cmp.Or(shared[port.Buffer.Name], port.Buffer.Name)
		}
		if p, ok := decl.(*InPort); ok && m.buffers[p.Buffer.Name] {
			d.Params = append(d.Params, object("MessageBuffer", p.Buffer.Name))
		}
		body = append(body, decl)
	}
	for _, p := range d.Params {
		m.decl(p)
	}
	d.Body = slices.Concat(m.clocks(d.Pos, body), m.decls(body), permissions(d.Pos, body))
	m.memory = false
}

// sameQueue names the buffer among params that is the same one as o: the network had one
// queue for each virtual network and direction of a controller, whatever its names
// (SimpleNetwork::getToNetQueue until 2014). It is empty if there is none.
func sameQueue(params []*Object, o *Object) string {
	for _, p := range params {
		same := true
		for _, key := range []string{"network", "virtual_network"} {
			a, ok := o.Pairs.Get(key)
			b, _ := p.Pairs.Get(key)
			same = same && ok && a == b
		}
		if same {
			return p.Name.Name
		}
	}
	return ""
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
	var state, entry string
	for _, d := range body {
		switch d := d.(type) {
		case *Func:
			has[d.Name.Name] = true
		case *StateDecl:
			state = d.Name.Name
		case *Struct:
			if of, _ := d.Pairs.Get("interface"); of == "AbstractCacheEntry" && entry == "" && !d.Pairs.isFalse("main") {
				entry = d.Name.Name + " entry, "
			}
		case *Include:
			return nil // they may be there
		}
	}
	var list []Decl
	if !has["getAccessPermission"] {
		list = append(list, today(pos, "AccessPermission getAccessPermission(Addr addr) { return AccessPermission:NotPresent; }")...)
	}
	if !has["setAccessPermission"] && state != "" {
		list = append(list, today(pos, "void setAccessPermission("+entry+"Addr addr, "+state+" state) { }")...)
	}
	return list
}

// today are declarations in today's language, which stand for what the text at pos meant.
func today(pos Pos, text string) []Decl {
	file, err := Parse(pos.File, []byte(strings.Repeat("\n", int(pos.Line)-1)+text))
	if err != nil {
		panic(err) // the text is of this package
	}
	return file.Decls
}

// clocks are the functions of time that every machine declares today.
var clocks = map[string]bool{"clockEdge": true, "cyclesToTicks": true, "ticksToCycles": true, "mapAddressToMachine": true}

func (m *modernizer) clocks(pos Pos, body []Decl) []Decl {
	wakes := func(d Decl) bool { f, ok := d.(*Func); return ok && f.Name.Name == "wakeUpBuffers" }
	var list []Decl
	for _, f := range []struct {
		known bool
		text  string
	}{
		{m.has["clockEdge"], "Tick clockEdge(); Tick clockEdge(Cycles);"},
		{m.has["cyclesToTicks"], "Tick cyclesToTicks(Cycles);"},
		{m.has["ticksToCycles"], "Cycles ticksToCycles(Tick);"},
		{m.has["intToCycles"] || m.delays != "int", "Cycles intToCycles(int);"},
		{slices.ContainsFunc(body, wakes), "void wakeUpBuffers(Addr); void wakeUpAllBuffers();"},
		{m.has["mapAddressToMachine"], "MachineID mapAddressToMachine(Addr, MachineType);"},
	} {
		if !f.known {
			list = append(list, today(pos, f.text)...)
		}
	}
	return list
}

// complete declares in front of the root file what gem5's compiler knew by itself then, and
// what has been declared since.
func (m *modernizer) complete(root *File) {
	pos := Pos{File: root.Name, Line: 1, Col: 1}
	var list []Decl
	if !m.has["Tick"] {
		list = append(list, today(pos, `external_type(Tick, primitive="yes", default="0");`)...)
	}
	if !m.has["Cycles"] && !m.has["Time"] {
		list = append(list, today(pos, `external_type(Cycles, primitive="yes", default="Cycles(0)");`)...)
	}
	if !m.has["MachineType"] {
		m.machine("NULL")
		list = append(list, today(pos, `enumeration(MachineType, default="MachineType_NULL") { `+strings.Join(m.names, "; ")+`; }`)...)
	}
	at := 1 + slices.IndexFunc(root.Decls, func(d Decl) bool {
		_, ok := d.(*Protocol)
		return ok
	})
	if include, ok := root.Decls[0].(*Include); ok && include.Implicit { // which uses them
		at = 0
	}
	root.Decls = slices.Insert(root.Decls, at, list...)
	if first := slices.IndexFunc(root.Decls, hasMachine); first >= 0 && !m.has["recycle_latency"] {
		root.Decls = slices.Insert(root.Decls, first, today(pos, "Cycles recycle_latency;")...)
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
