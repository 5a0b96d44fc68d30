package search

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"

	"ordeal/sim"
	"ordeal/sim/explore/machine"
)

// A checkpoint is a header in JSON, the predecessors, the queue, the set, the graph
// if it is kept, and the components of the machine, each of the first and last behind
// its length, and a checksum of all.
const checkpointMagic = "ordeal search 4\n"

// header is what a checkpoint holds beside arrays.
type header struct {
	// Machine identifies what is explored.
	Machine   string       `json:"machine"`
	Bits      int          `json:"bits"`
	Width     int          `json:"width"`
	Expanded  uint64       `json:"expanded"`
	Queue     int          `json:"queue"`
	States    uint64       `json:"states"`
	Steps     uint64       `json:"steps"`
	Digest    uint64       `json:"digest"`
	LevelEnd  uint64       `json:"level-end"`
	Levels    []uint64     `json:"levels"`
	Findings  []Finding    `json:"findings"`
	Outcomes  []Outcome    `json:"outcomes"`
	Coverage  sim.Coverage `json:"coverage"`
	PathBytes int64        `json:"path-bytes"`
	Graph     bool         `json:"graph"`
}

// Save writes the search, for Resume to continue it. The text identifies the
// machine. It may only be called between rounds.
func (s *Search) Save(w io.Writer, machineText string) error {
	sum := newSum()
	to := bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<20)
	head, err := json.Marshal(&header{
		Machine: machineText, Bits: s.options.Bits, Width: s.machine.Width(), Expanded: s.expanded, Queue: s.queue.len(),
		States: s.states, Steps: s.steps, Digest: s.digest, LevelEnd: s.levelEnd, Levels: s.levels, Findings: s.findings, Outcomes: s.outcomes,
		Coverage: s.coverage(), PathBytes: int64(len(s.paths.data)), Graph: s.graph != nil,
	})
	if err != nil {
		return err
	}
	_, _ = to.WriteString(checkpointMagic) // to keeps its first error for Flush
	writeBytes(to, head)
	_, _ = to.Write(s.paths.data)
	if err := s.queue.save(to); err != nil {
		return err
	}
	if err := s.set.Save(to); err != nil {
		return err
	}
	if s.graph != nil {
		if err := s.graph.save(to); err != nil {
			return err
		}
	}
	// Its length comes first: the components are written twice, since there may be no memory for them.
	var length counter
	if err := s.machine.Save(&length); err != nil {
		return err
	}
	writeLength(to, uint64(length))
	if err := s.machine.Save(to); err != nil {
		return err
	}
	if err := to.Flush(); err != nil {
		return fmt.Errorf("write the checkpoint: %w", err)
	}
	if _, err := w.Write(sum.Sum(nil)); err != nil {
		return fmt.Errorf("write the checkpoint: %w", err)
	}
	return nil
}

func newSum() hash.Hash32 { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) }

func writeBytes(w *bufio.Writer, data []byte) {
	writeLength(w, uint64(len(data)))
	_, _ = w.Write(data)
}

func writeLength(w *bufio.Writer, n uint64) { _, _ = w.Write(binary.LittleEndian.AppendUint64(nil, n)) }

// counter counts the bytes that are written.
type counter uint64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// Resume continues the search that Save has written, with the machine that it
// was made with. Everything is read and compared with the checksum before it
// is used.
func Resume(r io.Reader, m machine.Machine, machineText string, o Options) (*Search, error) {
	s, err := resume(&summed{r: bufio.NewReaderSize(r, 1<<20), sum: newSum()}, m, machineText, o)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = fmt.Errorf("it ends too early: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("read the checkpoint: %w", err)
	}
	return s, nil
}

// summed adds up what is read.
type summed struct {
	r   io.Reader
	sum hash.Hash32
}

func (s *summed) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	_, _ = s.sum.Write(p[:n])
	return n, err
}

func resume(r *summed, m machine.Machine, machineText string, o Options) (*Search, error) {
	magic := make([]byte, len(checkpointMagic))
	if _, err := io.ReadFull(r, magic); err != nil {
		return nil, err
	}
	if string(magic) != checkpointMagic {
		return nil, fmt.Errorf("it begins with %q, want %q", magic, checkpointMagic)
	}
	data, err := readBytes(r)
	if err != nil {
		return nil, err
	}
	var h header
	if err := json.Unmarshal(data, &h); err != nil {
		return nil, err
	}
	switch {
	case h.Machine != machineText:
		return nil, fmt.Errorf("it is one of %s, not of %s", h.Machine, machineText)
	case h.Width != m.Width():
		return nil, fmt.Errorf("its states have %d components, want %d", h.Width, m.Width())
	case o.Bits != 0 && o.Bits != h.Bits:
		return nil, fmt.Errorf("its fingerprints have %d bits, want %d", h.Bits, o.Bits)
	case h.Bits != 64 && h.Bits != 128:
		return nil, fmt.Errorf("its fingerprints have %d bits", h.Bits)
	case o.Graph != h.Graph:
		return nil, fmt.Errorf("its graph was kept: %v, want %v", h.Graph, o.Graph)
	case h.Queue < 0 || h.LevelEnd < h.Expanded || h.LevelEnd > h.Expanded+uint64(h.Queue):
		return nil, fmt.Errorf("its level ends at state %d: %d were expanded, %d are to be", h.LevelEnd, h.Expanded, h.Queue)
	}
	o.Bits = h.Bits
	s := prepare(m, o)
	s.expanded, s.states, s.steps, s.levelEnd, s.levels = h.Expanded, h.States, h.Steps, h.LevelEnd, h.Levels
	s.digest = h.Digest
	s.findings, s.outcomes, s.before = h.Findings, h.Outcomes, h.Coverage
	for _, f := range s.findings {
		s.known[f.key()] = true
	}
	for _, f := range s.outcomes {
		s.known[f.key()] = true
	}
	data, err = readSome(r, h.PathBytes)
	if err != nil {
		return nil, err
	}
	if err := s.paths.restore(data, h.Expanded+uint64(h.Queue)); err != nil {
		return nil, err
	}
	if err := s.queue.load(r, h.Queue); err != nil {
		return nil, err
	}
	if err := s.set.Load(r); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if s.graph != nil {
		if err := s.graph.load(r, h.Expanded, h.Expanded+uint64(h.Queue)); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	components, err := readBytes(r)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	want := r.sum.Sum(nil)
	sum := make([]byte, crc32.Size)
	if _, err := io.ReadFull(r, sum); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if !bytes.Equal(sum, want) {
		return nil, errors.Join(fmt.Errorf("its checksum is %x, want %x", sum, want), s.Close())
	}
	if n := s.set.Len(); uint64(n) != s.visited() {
		return nil, errors.Join(fmt.Errorf("it has %d fingerprints of %d states", n, s.visited()), s.Close())
	}
	if err := m.Load(bytes.NewReader(components)); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// readBytes reads what writeBytes has written.
func readBytes(r io.Reader) ([]byte, error) {
	var size [8]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, err
	}
	return readSome(r, int64(binary.LittleEndian.Uint64(size[:])))
}

// readSome reads n bytes as they come: a corrupt length does not take memory.
func readSome(r io.Reader, n int64) ([]byte, error) {
	if n < 0 {
		return nil, fmt.Errorf("a part has %d bytes", n)
	}
	var data bytes.Buffer
	if _, err := io.CopyN(&data, r, n); err != nil {
		return nil, err
	}
	return data.Bytes(), nil
}
