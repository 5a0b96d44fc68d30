package witness

import (
	"errors"
	"fmt"

	"ordeal/check/model"
	"ordeal/parse"
)

// The causal models are weaker than SC (wCCM: than TSO) because they infer
// less: a refutation uses the rules of SC, but derived edges only as their
// definitions allow (Zennou et al., CAV 2019, Sects. 3 and 4). Call PPO,
// FenceOrder, ReadsFrom and FromInit edges causal.
//
//	CC    a cycle of causal edges and at most one read-write edge, which is
//	      FromRead or a DerivedB with a causal premise (rw[co]; the bad
//	      patterns of Bouajjani et al., POPL 2017)
//	CCv   or a cycle of causal edges and DerivedA edges with causal premises
//	      (cf[co])
//	CM    or a cycle of causal edges and DerivedA edges that are local to one
//	      thread: those whose premises are causal and local edges and whose
//	      Via are all reads of that thread. They are hb_o, o being the last
//	      operation of the thread: whatever leads to a read of the thread is
//	      in o's causal past
//	CCM   a cycle of causal edges, local edges of all threads (hb), DerivedA
//	      edges whose premises are made of those (cf[hb]), and read-write
//	      edges, the premises of whose DerivedB are made of all of those but
//	      no other read-write edges (rw[pww]); pww joins writes to one
//	      location only, so that the cf[hb] edges among them must be about
//	      that location
//	wCCM  as CCM, also with OwnStore edges (po-loc) in the cycle and in the
//	      premises of DerivedB; the read of a cf[hb] edge is an RMW or
//	      reads from another thread; the premise of one may also be a
//	      single OwnStore edge, into an RMW (hb of po-loc, then cf)
type shapes struct {
	*verifier
	// of[i] is what lemma i is.
	of []form
}

// form is the role that a lemma can play.
type form struct {
	kind   formKind
	causal bool // the premise has causal edges only
	thread int  // of a local lemma
	loc    int32
}

type formKind uint8

const (
	formless  formKind = iota // no role in the model
	local                     // DerivedA, an edge of hb_o
	conflict                  // DerivedA, an edge of cf[hb]
	readWrite                 // DerivedB, an edge of rw[pww]
)

// shape checks that a refutation's lemmas are such as the causal model infers.
// Whether they hold is checked elsewhere.
func (v *verifier) shape() error {
	switch v.m.Name {
	case model.WSC.Name, model.WTSO.Name, model.WPSO.Name:
		return nil
	}
	s := &shapes{verifier: v, of: make([]form, len(v.ref.Lemmas))}
	for i := range s.of {
		s.of[i] = s.form(i)
	}
	return s.cycle(v.ref.Root.Cycle)
}

// count is how many edges of each sort a path has.
type count struct {
	formless, own, readWrite, local, conflict, derived int
	causal                                             bool // derived edges have causal premises
	thread                                             int  // of all local edges; -1: none; -2: several
	elsewhere                                          bool // some conflict edge is about another location than loc
}

// count sorts edges, for a lemma with number limit about location loc.
func (s *shapes) count(edges []Edge, limit int, loc int32) count {
	c := count{causal: true, thread: -1}
	for _, e := range edges {
		switch e.Rule {
		case PPO, FenceOrder, ReadsFrom, FromInit:
		case OwnStore:
			c.own++
		case FromRead:
			c.readWrite++
		case DerivedA, DerivedB:
			if e.Lemma < 0 || int(e.Lemma) >= limit {
				c.formless++
				continue
			}
			f := s.of[e.Lemma]
			c.derived++
			c.causal = c.causal && f.causal
			switch f.kind {
			case local:
				c.local++
				if c.thread == -1 {
					c.thread = f.thread
				} else if c.thread != f.thread {
					c.thread = -2
				}
			case conflict:
				c.conflict++
				c.elsewhere = c.elsewhere || f.loc != loc
			case readWrite:
				c.readWrite++
			default:
				c.formless++
			}
		default:
			c.formless++
		}
	}
	return c
}

// form says what lemma i is, given the lemmas before it.
func (s *shapes) form(i int) form {
	e := s.ref.Lemmas[i].Edge
	f := form{loc: s.edgeLoc(e)}
	c := s.count(s.ref.Lemmas[i].Premise, i, f.loc)
	f.causal = c.derived == 0 && c.own == 0 && c.readWrite == 0
	if c.formless > 0 || c.readWrite > 0 {
		return form{}
	}
	switch {
	case e.Rule == DerivedA && c.own > 0:
		if s.m.Name == model.WCCM.Name && len(s.ref.Lemmas[i].Premise) == 1 {
			f.kind = conflict
		}
	case e.Rule == DerivedB && !c.elsewhere:
		f.kind = readWrite
	case e.Rule == DerivedA && c.conflict == 0 && s.op(e.Via) != nil:
		f.thread = s.h.Thread(e.Via)
		switch {
		case c.local == 0 || c.thread == f.thread:
			f.kind = local
		case s.m.Name != model.WCCM.Name || e.To == parse.Init || s.writes(e.Via) ||
			s.op(e.To) != nil && s.h.Thread(e.To) != f.thread:
			f.kind = conflict
		}
	}
	return f
}

func (s *shapes) cycle(edges []Edge) error {
	c := s.count(edges, len(s.of), -1)
	fits := c.formless == 0
	if c.own > 0 && s.m.Name != model.WCCM.Name {
		fits = false
	}
	cc := fits && c.local+c.conflict == 0 && c.readWrite <= 1 && c.causal
	switch s.m.Name {
	case model.CC.Name:
		fits = cc
	case model.CCv.Name:
		fits = cc || fits && c.readWrite == 0 && c.causal
	case model.CM.Name:
		fits = cc || fits && c.readWrite == 0 && c.conflict == 0 && c.thread != -2
	case model.CCM.Name, model.WCCM.Name:
	default:
		return errors.New("no shape of refutations is known for model " + s.m.Name)
	}
	if !fits {
		return fmt.Errorf("model %s does not infer the edges of this cycle", s.m.Name)
	}
	return nil
}
