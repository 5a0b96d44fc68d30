package events

const textVersion = "ordeal-events 1"

// The words of the text form that are no kinds of event.
const (
	wordExecution = "execution"
	wordTrace     = "trace"
	wordThreads   = "threads"
	wordVariables = "variables"
	wordBegin     = "begin"
	wordEnd       = "end"
)

// Text is the sequence's text form, which Parse reads back:
//
//	ordeal-events 1
//	execution
//	threads P0 P1
//	variables x y
//	P0 begin
//	P0 write x
//	P0 read y
//	P0 end
//	P1 write y
//	P0 commit x
//	P1 commit y
//	P1 fence
//	P1 update x
//
// The second line says whether writes are committed by lines of their own or
// not (trace). Commits are outside of blocks: each belongs to the transaction
// of the oldest write of its thread that is not committed. One sequence has
// one text; it must be valid.
func (s *Sequence) Text() []byte {
	buf := make([]byte, 0, 64+12*len(s.Events))
	buf = append(buf, textVersion+"\n"...)
	if s.Execution {
		buf = append(buf, wordExecution+"\n"...)
	} else {
		buf = append(buf, wordTrace+"\n"...)
	}
	buf = appendNames(buf, wordThreads, s.Threads)
	buf = appendNames(buf, wordVariables, s.Variables)
	size := make([]int32, len(s.Transactions)) // events without commits
	for i := range s.Events {
		if e := &s.Events[i]; e.Kind != Commit {
			size[e.Tx]++
		}
	}
	done := make([]int32, len(s.Transactions))
	for i := range s.Events {
		e := &s.Events[i]
		if e.Kind == Commit || size[e.Tx] == 1 {
			buf = append(s.appendEvent(buf, e), '\n')
			continue
		}
		if done[e.Tx]++; done[e.Tx] == 1 {
			buf = append(append(buf, s.Threads[e.Thread]...), " "+wordBegin+"\n"...)
		}
		buf = append(s.appendEvent(buf, e), '\n')
		if done[e.Tx] == size[e.Tx] {
			buf = append(append(buf, s.Threads[e.Thread]...), " "+wordEnd+"\n"...)
		}
	}
	return buf
}

func appendNames(buf []byte, word string, names []string) []byte {
	buf = append(buf, word...)
	for _, name := range names {
		buf = append(append(buf, ' '), name...)
	}
	return append(buf, '\n')
}

func (s *Sequence) appendEvent(buf []byte, e *Event) []byte {
	buf = append(append(buf, s.Threads[e.Thread]...), ' ')
	buf = append(buf, e.Kind.String()...)
	if e.Kind.Accesses() {
		buf = append(append(buf, ' '), s.Variables[e.Var]...)
	}
	return buf
}
