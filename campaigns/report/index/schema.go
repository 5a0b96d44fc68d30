package index

import (
	"context"
	_ "embed" // the schema
	"errors"
	"fmt"
)

// Version is the version of the schema, stored as PRAGMA user_version. An index
// of an older version is rebuilt, one of a newer version refused.
const Version = 2

// applicationID identifies an index, as PRAGMA application_id: "Ordl".
const applicationID = 0x4f72646c

//go:embed schema.sql
var schema string

// Schema defines the tables and views of an index, in SQL with comments.
func Schema() string { return schema }

// state is the content of a database before anything is done to it.
type state int

const (
	invalid state = iota // not an index: there is an error
	empty
	outdated // an index of an older version
	current
)

// inspect refuses databases that are no index, or one of a newer version.
func (ix *index) inspect(ctx context.Context) (state, error) {
	var id, version, objects int
	err := ix.get(ctx, "SELECT application_id, user_version, (SELECT COUNT(*) FROM sqlite_master) FROM pragma_application_id, pragma_user_version",
		nil, &id, &version, &objects)
	switch {
	case err != nil:
		return invalid, err
	case id == 0 && version == 0 && objects == 0:
		return empty, nil
	case id != applicationID:
		return invalid, errors.New("it is a SQLite database, but no index of campaigns; name another file with --db")
	case version > Version:
		return invalid, fmt.Errorf("it is an index of version %d, made by a newer ordeal; this one knows version %d", version, Version)
	case version < Version:
		return outdated, nil
	}
	return current, nil
}

// create makes the tables and views, in place of all existing ones.
func (ix *index) create(ctx context.Context) error {
	var drops []string
	var drop string
	err := ix.each(ctx, `SELECT printf('DROP %s "%w"', type, name) FROM sqlite_master
		WHERE type IN ('view', 'table') AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY type DESC, name`,
		nil, func() { drops = append(drops, drop) }, &drop)
	if err != nil {
		return err
	}
	for _, query := range append(drops, schema, fmt.Sprintf("PRAGMA application_id = %d", applicationID), fmt.Sprintf("PRAGMA user_version = %d", Version)) {
		if err := ix.exec(ctx, query); err != nil {
			return err
		}
	}
	return nil
}
