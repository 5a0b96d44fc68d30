package cli

import (
	"context"
	"slices"

	"ordeal/check/model"
)

// jsonModel is what models --json prints of a model.
type jsonModel struct {
	Name        string           `json:"name"`
	Text        string           `json:"text"`
	Source      string           `json:"source"`
	Implies     []string         `json:"implies"`
	Stronger    []string         `json:"next_stronger"`
	Separations []jsonSeparation `json:"separations,omitempty"`
}

// jsonSeparation is a history that the model allows and a stronger one forbids, in the
// notation of Axe. Smallest says that no shorter one does.
type jsonSeparation struct {
	Stronger  string   `json:"stronger"`
	Text      string   `json:"text"`
	History   string   `json:"history"`
	Smallest  bool     `json:"smallest"`
	Allowed   []string `json:"allowed_by"`
	Forbidden []string `json:"forbidden_by"`
}

// printModelsJSON prints the guide's entries of models.
func printModelsJSON(ctx context.Context, e *env, wanted []model.Model) error {
	list := []jsonModel{}
	for _, entry := range model.Descriptions() {
		if !slices.ContainsFunc(wanted, func(m model.Model) bool { return m.Name == entry.Model.Name }) {
			continue
		}
		m := jsonModel{
			Name: entry.Model.Name, Text: entry.Text, Source: entry.Source,
			Implies: modelNames(implied(entry.Model)), Stronger: modelNames(model.Stronger(entry.Model)),
		}
		for _, b := range entry.Separations {
			_, allowed, forbidden, err := separate(ctx, &b)
			if err != nil {
				return err
			}
			m.Separations = append(m.Separations, jsonSeparation{b.Stronger, b.Text, b.Trace(), !b.OnlyKnown, modelNames(allowed), modelNames(forbidden)})
		}
		list = append(list, m)
	}
	return e.PrintJSON(map[string][]jsonModel{"models": list})
}
