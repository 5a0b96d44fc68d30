package certificate

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Marshal is the JSON of a certificate, as json.Marshal gives it, which would read the
// text of each order once more: most of the certificate of a history that is allowed.
func (t *Trace) Marshal() ([]byte, error) {
	const key, none = `,"order":`, `[]`
	short := *t
	short.Verdicts = slices.Clone(t.Verdicts)
	var orders []*Accesses
	size := 0
	for i := range short.Verdicts {
		if v := &short.Verdicts[i]; v.Order != nil {
			size += len(*v.Order)
			orders, v.Order = append(orders, v.Order), new(Accesses)
		}
	}
	rest, err := json.Marshal(&short)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(rest)+12*size+1)
	for _, o := range orders {
		// Quotation marks within strings are escaped: this is no text of theirs.
		before, after, _ := bytes.Cut(rest, []byte(key+none))
		text, err := o.MarshalJSON()
		if err != nil {
			return nil, err
		}
		out, rest = append(append(append(out, before...), key...), text...), after
	}
	return append(out, rest...), nil
}
