package mutate

import (
	"maps"
	"slices"
	"strings"

	"ordeal/sim/slicc/syntax"
)

// Queue is an action that does nothing but take the message off the queue of a port, or let it
// wait.
type Queue struct {
	Machine, Action string
	Port            string
	Waits           bool
	_               struct{}
}

// Queues lists the actions of each machine that do nothing but take a message off a queue or let it
// wait.
func (p *Catalogue) Queues() (list []Queue) {
	for _, m := range p.machines {
		for _, name := range slices.Sorted(maps.Keys(m.actions)) {
			q := Queue{Machine: m.name, Action: name}
			if q.Port, q.Waits = queueOf(m.actions[name].Body); q.Port != "" {
				list = append(list, q)
			}
		}
	}
	return list
}

// queueOf is the port whose message a body takes or lets wait, doing nothing else but count; empty
// for other bodies.
func queueOf(body *syntax.Block) (port string, waits bool) {
	if body == nil {
		return "", false
	}
	for _, stmt := range body.Stmts {
		found, wait := "", false
		switch stmt := stmt.(type) {
		case *syntax.PortStmt:
			if stmt.Kind == syntax.StallAndWait {
				found, wait = stmt.Port.Name, true
			}
		case *syntax.Assign:
			if isLocal(stmt) {
				found, wait = queueCall(stmt.Right)
			}
		case *syntax.ExprStmt:
			if found, wait = queueCall(stmt.X); found == "" && strings.HasPrefix(called(stmt.X), "profile") {
				continue
			}
		}
		if found == "" || port != "" {
			return "", false
		}
		port, waits = found, wait
	}
	return port, waits
}

// queueCall is the port of which an expression takes a message or lets it wait, as an operand of
// another call or alone; empty if it does neither.
func queueCall(x syntax.Expr) (port string, waits bool) {
	if call, ok := x.(*syntax.MethodCall); ok && (call.Method.Name == "dequeue" || call.Method.Name == "recycle") {
		if port, ok := call.X.(*syntax.Name); ok {
			return port.Name, call.Method.Name == "recycle"
		}
	}
	for _, y := range syntax.Operands(x) {
		if port, waits = queueCall(y); port != "" {
			break
		}
	}
	return port, waits
}

// Data lists the actions of each machine that pass the data of the message at the head of a port
// on, to a cache, a queue or the core: not those that begin a transaction.
func (p *Catalogue) Data() map[string][]string {
	list := map[string][]string{}
	for _, m := range p.machines {
		for _, name := range slices.Sorted(maps.Keys(m.actions)) {
			text := syntax.PrintStmt(m.actions[name].Body)
			if strings.Contains(text, "in_msg.DataBlk") && !strings.Contains(text, "TBEs.allocate(") {
				list[m.name] = append(list[m.name], name)
			}
		}
	}
	return list
}
