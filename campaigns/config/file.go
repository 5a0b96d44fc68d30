package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"ordeal/campaigns"
	"ordeal/campaigns/config/document"
)

// Load reads the campaign file at path and the files that it includes. Sets
// are overrides of the form KEY=VALUE as --set takes them, applied to what the
// files say together; then variables of the environment are expanded. A key
// that no Campaign has, a value that makes no sense and a contradiction are
// errors that name file, line and key; all of them are reported.
func Load(path string, sets []string) (*Campaign, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := document.Bounded(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return assemble(path, text, document.OnDisk, sets, &expansion{dir: filepath.Dir(path)})
}

// findProtocols makes the paths of protocols that are relative to the campaign
// file, in dir, relative to the working directory. One that names nothing
// there stays as it is, as those of --set.
func (c *Campaign) findProtocols(dir string) {
	beside := func(path *string) {
		if at := filepath.Join(dir, *path); *path != "" && !filepath.IsAbs(*path) && exists(at) {
			*path = at
		}
	}
	for i := range c.Configs {
		cfg := &c.Configs[i]
		if cfg.recorded("slicc", cfg.SLICC) == cfg.SLICC {
			beside(&cfg.SLICC)
		}
		if cfg.recorded("builtins", cfg.Builtins) == cfg.Builtins {
			beside(&cfg.Builtins)
		}
		beside(&cfg.MachineFile)
		for k := range cfg.SLICCPath {
			beside(&cfg.SLICCPath[k])
		}
	}
}

func exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && (info.Mode().IsRegular() || info.IsDir())
}

// Read reads a campaign file, as Load does, from something that is no file:
// name is for messages, and paths of included files are relative to the
// working directory.
func Read(name string, r io.Reader, sets []string) (*Campaign, error) {
	return read(name, r, func(from, path string) (string, []byte, error) {
		if from == name {
			from = ""
		}
		return document.OnDisk(from, path)
	}, sets)
}

// Parse reads a campaign file that includes no other, as Load does.
func Parse(name string, data []byte, sets []string) (*Campaign, error) {
	return assemble(name, data, nil, sets, new(expansion))
}

// ParseRecord reads the campaign file of a record, as Parse does: but values with
// variables of the environment that are not set stay as they are, and are for
// Config.Complete to report.
func ParseRecord(name string, data []byte) (*Campaign, error) {
	return assemble(name, data, nil, nil, &expansion{lenient: true})
}

// Ready is the campaign in the ready-made file of that name, which comes with
// this package.
func Ready(file string, sets ...string) (*Campaign, error) {
	data, err := campaigns.Files.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("no campaign file %s comes with ordeal", file)
	}
	return assemble(file, data, document.In(campaigns.Files), sets, new(expansion))
}

// includer is document.Reader.Include.
type includer = func(from, path string) (name string, text []byte, err error)

func read(name string, r io.Reader, include includer, sets []string) (*Campaign, error) {
	text, err := document.Bounded(r)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return assemble(name, text, include, sets, new(expansion))
}

// maxConfigs bounds the configurations of a campaign: each takes a quarter of a megabyte and its part of every report.
const maxConfigs = 1000

func assemble(name string, text []byte, include includer, sets []string, x *expansion) (*Campaign, error) {
	reader := document.Reader{Include: include, Getenv: os.Getenv}
	doc, err := reader.Read(name, text)
	if err != nil {
		return nil, err
	}
	var faults []error
	for _, s := range sets {
		faults = append(faults, doc.Set(s))
	}
	if configs := document.Child(doc.Root(), "configs"); configs != nil && len(configs.Content) > maxConfigs {
		return nil, fmt.Errorf("%s: configs: %d configurations, more than %d", name, len(configs.Content), maxConfigs)
	}
	faults = append(faults, checkKeys(doc, x)...)
	if err := errors.Join(document.Distinct(faults)...); err != nil {
		return nil, err
	}
	c := Defaults()
	if err := doc.Root().Decode(&c); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for i := range c.Configs {
		c.Configs[i].Environment = x.environment(document.Child(doc.Root(), "configs").Content[i])
	}
	if x.dir != "" {
		c.findProtocols(x.dir)
	}
	if err := c.validate(doc.Place); err != nil {
		return nil, err
	}
	return &c, nil
}
