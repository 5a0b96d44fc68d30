package syntax

// decls writes declarations; those with a body are set apart by blank lines.
func (p *printer) decls(list []Decl) {
	list = written(list)
	for i, d := range list {
		p.next = nil
		if i+1 < len(list) {
			p.next = list[i+1]
		}
		if i > 0 && (isTall(d) || isTall(list[i-1])) {
			p.put("\n")
		}
		p.line()
		switch d := d.(type) {
		case *Object:
			p.object(d)
		case *Func:
			p.function(d)
		default:
			declForm(p, d)
		}
		p.put("\n")
	}
}

// written leaves out an include that the text does not have: it is the first.
func written(list []Decl) []Decl {
	if len(list) > 0 {
		if d, ok := list[0].(*Include); ok && d.Implicit {
			return list[1:]
		}
	}
	return list
}

// isTall reports whether a declaration takes several lines.
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

func (p *printer) machineBody(d *Machine) {
	start := "  : "
	p.put("\n")
	for _, param := range d.Params {
		p.line(start)
		p.object(param)
		p.put("\n")
		start = "    "
	}
	if len(d.Params) == 0 {
		p.line("  :\n")
	}
	p.line()
	p.braces(func() { p.decls(d.Body) })
}

func (p *printer) machineName(d *Machine) { p.enumName(&d.Name) }

// transition writes the list of request types, even an empty one, where the
// parser would otherwise take the next declaration for the list of actions.
func (p *printer) transition(d *Transition) {
	p.head(transitionWord(d))
	p.idents(d.States, true)
	p.comma()
	p.idents(d.Events, true)
	if d.Next != nil {
		p.put(", ", d.Next.Name)
	}
	p.put(") ")
	if len(d.RequestTypes) > 0 || startsWithName(p.next) {
		p.idents(d.RequestTypes, false)
		p.put(" ")
	}
	if len(d.Actions) == 0 {
		p.put("{}")
		return
	}
	p.braces(func() {
		for _, a := range d.Actions {
			p.line(a.Name, ";\n")
		}
	})
}

// startsWithName reports whether the text of a declaration starts with an
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

func (p *printer) members(list *[]Decl) {
	p.put(" ")
	p.braces(func() { p.decls(*list) })
}

func (p *printer) values(list *[]EnumValue) { printRows(p, *list, valueForm) }

func (p *printer) states(list *[]State) { printRows(p, *list, stateForm) }

// printRows writes the rows of an enumeration in braces after a space.
func printRows[T any](p *printer, list []T, rowForm func(form, *T)) {
	p.put(" ")
	p.braces(func() {
		for i := range list {
			p.line()
			rowForm(p, &list[i])
			p.put("\n")
		}
	})
}

func (p *printer) object(d *Object) {
	p.put(d.Type.Name)
	if d.Pointer {
		p.put(" *")
	}
	p.put(" ", d.Name.Name)
	if d.Init != nil {
		p.put(" := ")
		p.expression(d.Init)
	} else {
		p.pairs(&d.Pairs)
	}
	p.end()
}

func (p *printer) function(d *Func) {
	p.put(d.Result.Name, " ", d.Name.Name, "(")
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
			p.expression(param.Default)
		}
	}
	p.put(")")
	p.pairs(&d.Pairs)
	if d.Body == nil {
		p.end()
	} else {
		p.block(&d.Body)
	}
}
