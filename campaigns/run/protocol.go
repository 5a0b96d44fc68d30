package run

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"ordeal/campaigns/config"
	"ordeal/sim/protocols"
)

// ProtocolDir is the folder of a campaign or a run that has the texts of its
// protocols, each in a folder named by their hash.
const ProtocolDir = "slicc"

// KeepProtocol writes a copy of the texts that define the protocol of a
// configuration into the directory of its record, unless they are there. A
// configuration without a protocol of its own has none.
func KeepProtocol(dir string, simulator string, c *config.Config) error {
	if simulator != config.SimBuiltin || c.SLICC == "" {
		return nil
	}
	texts, root, builtins := c.Source().Texts()
	kept := &keptFS{FS: texts, files: make(map[string][]byte)}
	id, err := hashOf(kept, root, builtins)
	if err != nil {
		return fmt.Errorf("keep the protocol %s: %w", c.SLICC, err)
	}
	at := filepath.Join(dir, ProtocolDir, folderOf(id))
	if Exists(filepath.Join(at, root)) {
		return nil
	}
	for name, data := range kept.files {
		if name == root { // written last: its presence says that all are there
			continue
		}
		if err := keepFile(filepath.Join(at, filepath.FromSlash(name)), data); err != nil {
			return err
		}
	}
	return keepFile(filepath.Join(at, root), kept.files[root])
}

func keepFile(path string, data []byte) error {
	if err := MkdirAll(filepath.Dir(path)); err != nil {
		return err
	}
	return WriteFile(path, data, false)
}

// folderOf is the name of the folder for texts of a hash.
func folderOf(id string) string {
	_, sum, _ := strings.Cut(id, ":")
	return sum[:min(len(sum), 2*shortHash)]
}

// shortHash is the length of a hash in the name of a folder, in bytes.
const shortHash = 8

// KeptTexts reads the texts of a protocol that KeepProtocol left in the directory of a campaign, by name. The campaign
// records the version under the tool "slicc".
func KeptTexts(dir, version string) (map[string]string, error) {
	_, id, _ := strings.Cut(version, " ")
	if _, err := hex.DecodeString(strings.TrimPrefix(id, "sha256:")); err != nil { // a record may come from anywhere
		return nil, fmt.Errorf("%s: version %q of a protocol: want a hash", dir, version)
	}
	at := filepath.Join(dir, ProtocolDir, folderOf(id))
	names, err := Names(at)
	texts := map[string]string{}
	for _, name := range names {
		if ext := filepath.Ext(name); ext != ".sm" && ext != ".slicc" {
			continue
		}
		data, err := ReadFile(filepath.Join(at, name))
		if err != nil {
			return nil, err
		}
		texts[name] = string(data)
	}
	if err == nil && len(texts) == 0 {
		err = fmt.Errorf("%s has no texts of it", dir)
	}
	return texts, err
}

// keptFS keeps the files that are read.
type keptFS struct {
	fs.FS
	files map[string][]byte
}

// ReadFile reads and keeps a file.
func (k *keptFS) ReadFile(name string) ([]byte, error) {
	data, err := fs.ReadFile(k.FS, name)
	if err == nil {
		k.files[name] = data
	}
	return data, err
}

// ErrProtocolChanged means that the files of a protocol are not those that a run
// was made with, and that there is no copy of those.
var ErrProtocolChanged = errors.New("the files of the protocol are not those of the record, which has no copy of them")

// RecordedProtocol changes the configuration of a recorded run to the protocol
// that it was made with: where its files have changed, or are not there, to the
// copy that KeepProtocol left in the run's directory or in one above it. Kept is
// the path of the copy, empty if none is needed.
func RecordedProtocol(dir Dir, spec *Spec) (kept string, err error) {
	return useRecorded(string(dir), spec.Sim, &spec.Config, spec.Tools["slicc"])
}

// CampaignProtocol does the same for a configuration of the campaign that is
// recorded in dir, of whose versions tools are some: those of one session, or of one
// run. A protocol that none of them names, as of another file, stays.
func CampaignProtocol(dir, simulator string, c *config.Config, tools map[string]string) (kept string, err error) {
	if simulator != config.SimBuiltin || c.SLICC == "" {
		return "", nil
	}
	now := sources(simulator, c)["slicc"]
	var recorded []string
	for version := range strings.SplitSeq(tools["slicc"], "; ") {
		if version == now {
			return "", nil
		}
		if root, _, _ := strings.Cut(version, " "); root == filepath.Base(c.SLICC) {
			recorded = append(recorded, version)
		}
	}
	if len(recorded) > 1 {
		return "", fmt.Errorf("%s: its files have changed, and the record has %d protocols of this name: repeat the directory of a run, whose record names one",
			c.SLICC, len(recorded))
	}
	return useRecorded(dir, simulator, c, strings.Join(recorded, ""))
}

// useRecorded changes c to the version of its protocol that was recorded in dir, if
// one was.
func useRecorded(dir, simulator string, c *config.Config, recorded string) (kept string, err error) {
	if simulator != config.SimBuiltin || c.SLICC == "" || recorded == "" || sources(simulator, c)["slicc"] == recorded {
		return "", nil
	}
	root, id, _ := strings.Cut(recorded, " ")
	sum, known := strings.CutPrefix(id, "sha256:")
	if _, err := hex.DecodeString(sum); err != nil || !known || root != filepath.Base(root) {
		return "", fmt.Errorf("%s: %w", c.SLICC, ErrProtocolChanged)
	}
	// A run is in its campaign, its reduction and repetitions are in the run.
	for above, levels := dir, 0; levels < 4; above, levels = filepath.Dir(above), levels+1 {
		at := filepath.Join(above, ProtocolDir, folderOf(id))
		if !plain(at) || !Exists(filepath.Join(at, root)) {
			continue
		}
		source := protocols.Source{Root: filepath.Join(at, root)}
		if c.Builtins != "" {
			source.Builtins = filepath.Join(at, filepath.Base(c.Builtins))
		}
		if now, err := hashSLICC(source); err == nil && now == id {
			c.SLICC, c.Builtins, c.SLICCPath = source.Root, source.Builtins, nil
			return source.Root, nil
		}
	}
	return "", fmt.Errorf("%s: %w", c.SLICC, ErrProtocolChanged)
}

// plain reports whether a directory, which may come from others, has only regular
// files and folders in it.
func plain(dir string) bool {
	entries, err := ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if e.IsDir() && !plain(filepath.Join(dir, e.Name())) || !e.IsDir() && !e.Type().IsRegular() {
			return false
		}
	}
	return true
}
