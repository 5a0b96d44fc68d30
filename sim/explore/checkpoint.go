package explore

import (
	"bufio"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"slices"
)

// saved is what Save writes: the texts of all components in the order of their
// numbers.
type saved struct {
	Controllers, Messages [][]byte
	Inboxes               [][]uint32
}

// Save writes the components.
func (m *Machine) Save(w io.Writer) error {
	var all saved
	for n := range uint32(m.parts.controllers.len()) {
		all.Controllers = append(all.Controllers, m.parts.controllers.at(n).text)
	}
	for n := range uint32(m.parts.messages.len()) {
		all.Messages = append(all.Messages, m.parts.messages.at(n).text)
	}
	for n := range uint32(m.parts.inboxes.len()) {
		all.Inboxes = append(all.Inboxes, m.parts.inboxes.at(n).messages)
	}
	buffered := bufio.NewWriter(w)
	if err := gob.NewEncoder(buffered).Encode(&all); err != nil {
		return fmt.Errorf("save components: %w", err)
	}
	return buffered.Flush()
}

// errComponents is the fault of components that are not those of the machine.
var errComponents = errors.New("load components: not of this machine")

// Load makes the components those that Save wrote.
func (m *Machine) Load(r io.Reader) error {
	var all saved
	if err := gob.NewDecoder(r).Decode(&all); err != nil {
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
