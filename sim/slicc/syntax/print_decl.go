package syntax

import "ordeal/sim/slicc/ast"

// decls writes declarations; those with a body are set apart by blank lines.
func (p *printer) decls(list []ast.Decl) {
	for i, d := range list {
		var next ast.Decl
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
func isTall(d ast.Decl) bool {
	switch d := d.(type) {
	case *ast.Protocol, *ast.Include, *ast.OutPort, *ast.Object:
		return false
	case *ast.Struct:
		return d.Kind != ast.ExternalType
	case *ast.Func:
		return d.Body != nil
	}
	return true
}

// decl writes a declaration; next is the one that follows it, or nil.
func (p *printer) decl(d, next ast.Decl) {
	switch d := d.(type) {
	case *ast.Protocol:
		p.line("protocol ", quote(d.Name), ";\n")
	case *ast.Include:
		p.line("include ", quote(d.Path), ";\n")
	case *ast.Machine:
		p.machine(d)
	case *ast.Action:
		p.line("action(", d.Name.Name)
		p.pairs(d.Pairs)
		p.put(") ")
		p.block(d.Body)
		p.put("\n")
	case *ast.InPort:
		p.line("in_port(", d.Name.Name, ", ", d.Type.Name, ", ", d.Buffer.Name)
		p.pairs(d.Pairs)
		p.put(") ")
		p.block(d.Body)
		p.put("\n")
	case *ast.OutPort:
		p.line("out_port(", d.Name.Name, ", ", d.Type.Name, ", ", d.Buffer.Name)
		p.pairs(d.Pairs)
		p.put(");\n")
	case *ast.Transition:
		p.transition(d, next)
	case *ast.Struct:
		p.structure(d)
	case *ast.Enum:
		p.enum(d)
	case *ast.StateDecl:
		p.stateDecl(d)
	case *ast.Object:
		p.line()
		p.object(d)
		p.put("\n")
	case *ast.Func:
		p.function(d)
	}
}

func (p *printer) machine(d *ast.Machine) {
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
func (p *printer) transition(d *ast.Transition, next ast.Decl) {
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
func startsWithName(d ast.Decl) bool {
	switch d := d.(type) {
	case *ast.Object:
		return true
	case *ast.Func:
		return d.Result.Name != "void"
	}
	return false
}

func (p *printer) structure(d *ast.Struct) {
	p.line([]string{"structure", "global", "external_type"}[d.Kind], "(", d.Name.Name)
	p.pairs(d.Pairs)
	if d.Kind == ast.ExternalType {
		p.put(");\n")
		return
	}
	p.put(") {\n")
	p.indent++
	p.decls(d.Members)
	p.indent--
	p.line("}\n")
}

func (p *printer) enum(d *ast.Enum) {
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

func (p *printer) stateDecl(d *ast.StateDecl) {
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

func (p *printer) object(d *ast.Object) {
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

func (p *printer) function(d *ast.Func) {
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
