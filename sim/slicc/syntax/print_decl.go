package syntax

// decls writes declarations; those with a body are set apart by blank lines.
func (p *printer) decls(list []Decl) {
	for i, d := range list {
		var next Decl
		if i+1 < len(list) {
			next = list[i+1]
		}
		if i > 0 && (isTall(d) || isTall(list[i-1])) {
			p.put("\n")
		}
		p.decl(d, next)
	}
}

// isTall tells whether a declaration takes several lines.
func isTall(d Decl) bool {
	switch d := d.(type) {
	case *Protocol, *Include, *OutPort, *Object:
		return false
	case *Struct:
		return d.Kind != ExternalType
	case *Func:
		return d.Body != nil
	}
	return true
}

// decl writes a declaration; next is the one that follows it, or nil.
func (p *printer) decl(d, next Decl) {
	switch d := d.(type) {
	case *Protocol:
		p.line("protocol ", quote(d.Name), ";\n")
	case *Include:
		p.line("include ", quote(d.Path), ";\n")
	case *Machine:
		p.machine(d)
	case *Action:
		p.line("action(", d.Name.Name)
		p.pairs(d.Pairs)
		p.put(") ")
		p.block(d.Body)
		p.put("\n")
	case *InPort:
		p.line("in_port(", d.Name.Name, ", ", d.Type.Name, ", ", d.Buffer.Name)
		p.pairs(d.Pairs)
		p.put(") ")
		p.block(d.Body)
		p.put("\n")
	case *OutPort:
		p.line("out_port(", d.Name.Name, ", ", d.Type.Name, ", ", d.Buffer.Name)
		p.pairs(d.Pairs)
		p.put(");\n")
	case *Transition:
		p.transition(d, next)
	case *Struct:
		p.structure(d)
	case *Enum:
		p.enum(d)
	case *StateDecl:
		p.stateDecl(d)
	case *Object:
		p.line()
		p.object(d)
		p.put("\n")
	case *Func:
		p.function(d)
	}
}

func (p *printer) machine(d *Machine) {
	p.line("machine(")
	p.enumName(d.Name)
	p.pairs(d.Pairs)
	p.put(")")
	p.put("\n")
	for i, param := range d.Params {
		if i == 0 {
			p.line("  : ")
		} else {
			p.line("    ")
		}
		p.object(param)
		p.put("\n")
	}
	if len(d.Params) == 0 {
		p.line("  :\n")
	}
	p.line("{\n")
	p.indent++
	p.decls(d.Body)
	p.indent--
	p.line("}\n")
}

// transition writes the list of request types, even an empty one, where the
// parser would otherwise take the next declaration for the list of actions.
func (p *printer) transition(d *Transition, next Decl) {
	p.line("transition(")
	p.idents(d.States, true)
	p.put(", ")
	p.idents(d.Events, true)
	if d.Next != nil {
		p.put(", ", d.Next.Name)
	}
	p.put(") ")
	if len(d.RequestTypes) > 0 || startsWithName(next) {
		p.idents(d.RequestTypes, false)
		p.put(" ")
	}
	p.put("{")
	p.indent++
	for _, a := range d.Actions {
		p.put("\n")
		p.line(a.Name, ";")
	}
	p.indent--
	if len(d.Actions) > 0 {
		p.put("\n")
		p.line()
	}
	p.put("}\n")
}

// startsWithName tells whether the text of a declaration starts with an
// identifier.
func startsWithName(d Decl) bool {
	switch d := d.(type) {
	case *Object:
		return true
	case *Func:
		return d.Result.Name != "void"
	}
	return false
}

func (p *printer) structure(d *Struct) {
	p.line([]string{"structure", "global", "external_type"}[d.Kind], "(", d.Name.Name)
	p.pairs(d.Pairs)
	if d.Kind == ExternalType {
		p.put(");\n")
		return
	}
	p.put(") {\n")
	p.indent++
	p.decls(d.Members)
	p.indent--
	p.line("}\n")
}

func (p *printer) enum(d *Enum) {
	p.line("enumeration(", d.Name.Name)
	p.pairs(d.Pairs)
	p.put(") {\n")
	p.indent++
	for _, v := range d.Values {
		p.line(v.Name.Name)
		p.pairs(v.Pairs)
		p.put(";\n")
	}
	p.indent--
	p.line("}\n")
}

func (p *printer) stateDecl(d *StateDecl) {
	p.line("state_declaration(", d.Name.Name)
	p.pairs(d.Pairs)
	p.put(") {\n")
	p.indent++
	for _, s := range d.States {
		p.line(s.Name.Name, ", ")
		p.enumName(s.Permission)
		p.pairs(s.Pairs)
		p.put(";\n")
	}
	p.indent--
	p.line("}\n")
}

func (p *printer) object(d *Object) {
	p.put(d.Type.Name)
	if d.Pointer {
		p.put(" *")
	}
	p.put(" ", d.Name.Name)
	if d.Init != nil {
		p.put(" := ")
		p.expr(d.Init)
	} else {
		p.pairs(d.Pairs)
	}
	p.put(";")
}

func (p *printer) function(d *Func) {
	p.line(d.Result.Name, " ", d.Name.Name, "(")
	for i, param := range d.Params {
		if i > 0 {
			p.put(", ")
		}
		p.put(param.Type.Name, [...]string{"", " *", " &"}[param.Qualifier])
		if param.Name.Name != "" {
			p.put(" ", param.Name.Name)
		}
		if param.Default != nil {
			p.put(" := ")
			p.expr(param.Default)
		}
	}
	p.put(")")
	p.pairs(d.Pairs)
	if d.Body == nil {
		p.put(";\n")
		return
	}
	p.put(" ")
	p.block(d.Body)
	p.put("\n")
}
