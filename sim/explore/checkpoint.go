package explore

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// Save writes the components: three lists, of the texts of controllers and of messages and of the
// messages of inboxes, in the order of their numbers. Each number, also that of the items of a list, is
// an unsigned varint.
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

// errComponents is the fault of components that are not those of the machine.
var errComponents = errors.New("load components: not of this machine")

// Load makes the components those that Save wrote. Each is made as it is read, so that they are in
// memory once.
func (m *Machine) Load(r io.Reader) error {
	in := bufio.NewReader(r)
	if _, err := list(in, m.restoreController); err != nil {
		return fmt.Errorf("load components: %w", err)
	}
	messages, err := list(in, m.restoreMessage)
	if err != nil {
		return fmt.Errorf("load components: %w", err)
	}
	_, err = list(in, func(n int, r *bufio.Reader) error { return m.restoreInbox(n, messages, r) })
	if err != nil {
		return fmt.Errorf("load components: %w", err)
	}
	return nil
}

// list reads the items of a list, whatever their number says up to its end, and gives the number.
func list(r *bufio.Reader, item func(n int, r *bufio.Reader) error) (int, error) {
	count, err := binary.ReadUvarint(r)
	if err != nil {
		return 0, err
	}
	for n := range int(min(count, math.MaxInt)) {
		if err := item(n, r); err != nil {
			return 0, err
		}
	}
	return int(count), nil
}

// text reads a text into the memory of the last one.
func (m *Machine) text(r *bufio.Reader) ([]byte, error) {
	m.read = m.read[:0]
	_, err := list(r, func(_ int, r *bufio.Reader) error {
		b, err := r.ReadByte()
		m.read = append(m.read, b)
		return err
	})
	return m.read, err
}

func (m *Machine) restoreMessage(n int, r *bufio.Reader) error {
	text, err := m.text(r)
	if err != nil {
		return err
	}
	m.Start()
	sent, err := m.LoadSent(text)
	if err != nil {
		return fmt.Errorf("%w: %w", errComponents, err)
	}
	if int(m.message(&sent)) != n {
		return errComponents
	}
	return nil
}

// restoreInbox reads an inbox of some of the messages.
func (m *Machine) restoreInbox(n, messages int, r *bufio.Reader) error {
	m.list = m.list[:0]
	_, err := list(r, func(_ int, r *bufio.Reader) error {
		msg, err := binary.ReadUvarint(r)
		if err == nil && msg >= uint64(messages) {
			err = errComponents
		}
		m.list = append(m.list, uint32(msg))
		return err
	})
	if err != nil {
		return err
	}
	if int(m.inbox(m.list)) != n {
		return errComponents
	}
	return nil
}

// restoreController loads a controller, whose number is the second byte of its
// text behind what its cores have.
func (m *Machine) restoreController(n int, r *bufio.Reader) error {
	text, err := m.text(r)
	if err != nil {
		return err
	}
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
