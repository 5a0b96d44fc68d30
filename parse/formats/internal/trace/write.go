package trace

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"ordeal/gen"
	"ordeal/parse"
)

// Write has a function write to w through a buffer, whose errors stay until the
// end. Errors begin with "write FORMAT: ".
func Write(w io.Writer, format string, write func(out *bufio.Writer) error) error {
	out := bufio.NewWriterSize(w, 1<<16)
	err := write(out)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", format, err)
	}
	return nil
}

// CheckPlain reports the first operation of a history that is neither a read nor
// a write, or whose value exceeds the limit.
func CheckPlain(h *parse.History, limit gen.Value) error {
	for i := range h.Ops {
		op := &h.Ops[i]
		if op.Kind != parse.Read && op.Kind != parse.Write {
			return fmt.Errorf("%s is a %s: the format has only reads and writes", Place(h, parse.OpID(i)), kindName(op.Kind))
		}
		if v := max(op.Read, op.Write); v > limit {
			return fmt.Errorf("%s: value %d exceeds %d", Place(h, parse.OpID(i)), v, limit)
		}
	}
	return nil
}

func kindName(k parse.Kind) string {
	if k == parse.Fence {
		return "fence"
	}
	return "read-modify-write"
}

// Place names an operation in messages; operations count from 1.
func Place(h *parse.History, id parse.OpID) string {
	t := h.Thread(id)
	return fmt.Sprintf("thread %s operation %d", h.ThreadName(t), id-h.Start[t]+1)
}

// Threads are the names of the threads.
func Threads(h *parse.History) []string {
	list := make([]string, h.Threads())
	for t := range list {
		list[t] = h.ThreadName(t)
	}
	return list
}

// Numbered are the given names if all are decimal numbers below 2⁶³ without
// leading zeros, and their indices otherwise.
func Numbered(names []string) []string {
	for _, name := range names {
		if v, err := strconv.ParseInt(name, 10, 64); err != nil || strconv.FormatInt(v, 10) != name || v < 0 {
			list := make([]string, len(names))
			for i := range list {
				list[i] = strconv.Itoa(i)
			}
			return list
		}
	}
	return names
}

// Words are names as different words: those that are words stay, and of others every
// other byte than those of words becomes _, with a number behind where the word is taken.
func Words(names []string) []string {
	taken := make(map[string]bool, len(names))
	list := make([]string, len(names))
	for i, name := range names {
		if IsWord([]byte(name)) && !taken[name] {
			list[i] = name
			taken[name] = true
		}
	}
	for i, name := range names {
		if list[i] != "" {
			continue
		}
		word := []byte(name)
		for k, c := range word {
			if !wordBytes[c] {
				word[k] = '_'
			}
		}
		list[i] = string(word)
		for n := i; list[i] == "" || taken[list[i]]; n++ {
			list[i] = string(word) + "_" + strconv.Itoa(n)
		}
		taken[list[i]] = true
	}
	return list
}
