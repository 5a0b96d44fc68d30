package explore

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// saved is what Save writes: the texts of all components in the order of their
// numbers. Each number, also that of the items of a list, is an unsigned varint.
type saved struct {
	Controllers, Messages [][]byte
	Inboxes               [][]uint32
}

// Save writes the components.
func (m *Machine) Save(w io.Writer) error {
	buffered := bufio.NewWriter(w)
	number := func(n int) { _, _ = buffered.Write(binary.AppendUvarint(nil, uint64(n))) } // it keeps its first error for Flush
	text := func(t []byte) {
		number(len(t))
		_, _ = buffered.Write(t)
	}
	number(m.parts.controllers.len())
	for n := range uint32(m.parts.controllers.len()) {
		text(m.parts.controllers.at(n).text)
	}
	number(m.parts.messages.len())
	for n := range uint32(m.parts.messages.len()) {
		text(m.parts.messages.at(n).text)
	}
	number(m.parts.inboxes.len())
	for n := range uint32(m.parts.inboxes.len()) {
		list := m.parts.inboxes.at(n).messages
		number(len(list))
		for _, msg := range list {
			number(int(msg))
		}
	}
	if err := buffered.Flush(); err != nil {
		return fmt.Errorf("save components: %w", err)
	}
	return nil
}

// list reads the items of a list. It grows as they come, whatever their number
// says.
func list[T any](r *bufio.Reader, item func(*bufio.Reader) (T, error)) ([]T, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return nil, err
	}
	var all []T
	for range n {
		v, err := item(r)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

func readText(r *bufio.Reader) ([]byte, error) { return list(r, (*bufio.Reader).ReadByte) }

func readInbox(r *bufio.Reader) ([]uint32, error) {
	return list(r, func(r *bufio.Reader) (uint32, error) {
		msg, err := binary.ReadUvarint(r)
		if msg > math.MaxUint32 {
			err = errComponents
		}
		return uint32(msg), err
	})
}

// readComponents reads what Save wrote.
func readComponents(r *bufio.Reader) (all saved, err error) {
	if all.Controllers, err = list(r, readText); err != nil {
		return all, err
	}
	if all.Messages, err = list(r, readText); err != nil {
		return all, err
	}
	all.Inboxes, err = list(r, readInbox)
	return all, err
}

// errComponents is the fault of components that are not those of the machine.
var errComponents = errors.New("load components: not of this machine")

// Load makes the components those that Save wrote.
func (m *Machine) Load(r io.Reader) error {
	all, err := readComponents(bufio.NewReader(r))
	if err != nil {
		return fmt.Errorf("load components: %w", err)
	}
	for n, text := range all.Controllers {
		if err := m.restoreController(n, text); err != nil {
			return err
		}
	}
	for n, text := range all.Messages {
		m.Start()
		sent, err := m.LoadSent(text)
		if err != nil {
			return fmt.Errorf("%w: %w", errComponents, err)
		}
		if int(m.message(&sent)) != n {
			return errComponents
		}
	}
	for n, list := range all.Inboxes {
		bad := slices.ContainsFunc(list, func(msg uint32) bool { return int(msg) >= len(all.Messages) })
		if bad || int(m.inbox(list)) != n {
			return errComponents
		}
	}
	return nil
}

// restoreController loads a controller, whose number is the second byte of its
// text behind what its cores have.
func (m *Machine) restoreController(n int, text []byte) error {
	m.Start()
	if len(text) == 0 || len(text) <= 1+int(text[0]) || int(text[1+text[0]]) >= m.Controllers() {
		return errComponents
	}
	i := int(text[1+text[0]])
	if err := m.load(i, text); err != nil {
		return fmt.Errorf("%w: %w", errComponents, err)
	}
	if int(m.controller(i)) != n {
		return errComponents
	}
	return nil
}
