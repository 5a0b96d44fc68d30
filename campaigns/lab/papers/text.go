package papers

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"ordeal/campaigns/internal/messages"
)

// textWidth is where paragraphs wrap.
const textWidth = 100

// WriteText writes the report as text for terminals.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	b.WriteString(r.Title() + "\n" + r.Environment())
	for i := range r.Results {
		b.WriteByte('\n')
		r.Results[i].text(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Title is the headline.
func (r *Report) Title() string { return fmt.Sprintf("The papers' experiments at scale %v", r.Scale) }

// Environment says where and how times were measured.
func (r *Report) Environment() string {
	return fmt.Sprintf("machine  %s\nordeal   %s\ntimes    CPU of one check, evidence included; limit %s and %d GiB\n",
		r.Machine, r.Version, r.Limit, memoryLimit>>30)
}

// Heading names the experiment and its paper.
func (r *Result) Heading() string { return fmt.Sprintf("%s: %s, %s", r.Name, r.Paper.Cite, r.Place) }

func (r *Result) text(b *strings.Builder) {
	head := r.Heading()
	fmt.Fprintf(b, "%s\n%s\n%s\n%s\n", head, strings.Repeat("═", utf8.RuneCountInString(head)), r.Title, "campaigns/lab/papers/"+r.Campaign+", embedded simulator")
	if len(r.Published) > 0 {
		b.WriteByte('\n')
		for _, q := range r.Published {
			b.WriteString(messages.Wrap(fmt.Sprintf("%s: %s", q.What, q.Value), "  ", "    ", textWidth) + "\n")
			if q.Measured != "" {
				b.WriteString(messages.Wrap(q.Measured, "    → measured: ", "      ", textWidth) + "\n")
			}
		}
	}
	for i := range r.Tables {
		b.WriteByte('\n')
		b.WriteString(r.Tables[i].String())
	}
	if len(r.Notes) > 0 {
		b.WriteByte('\n')
	}
	for _, n := range r.Notes {
		b.WriteString(messages.Wrap(n, "- ", "  ", textWidth) + "\n")
	}
}
