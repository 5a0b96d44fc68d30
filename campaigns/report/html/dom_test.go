package html

import (
	"encoding/xml"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// element is an element of a page.
type element struct {
	name     string
	attrs    map[string]string
	text     string // of the element itself
	parent   *element
	children []*element
}

// parsePage reads a page, which must be well-formed XML behind its doctype,
// and lists its elements in order.
func parsePage(t testing.TB, page string) []*element {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Entity = xml.HTMLEntity
	var all []*element
	var top *element
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local, attrs: map[string]string{}, parent: top}
			for _, a := range token.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			if top != nil {
				top.children = append(top.children, e)
			}
			all, top = append(all, e), e
		case xml.EndElement:
			top = top.parent
		case xml.CharData:
			if top != nil {
				top.text += string(token)
			}
		}
	}
	return all
}

// named are the elements of a name.
func named(all []*element, name string) []*element {
	var list []*element
	for _, e := range all {
		if e.name == name {
			list = append(list, e)
		}
	}
	return list
}

// content is the text of an element and those in it.
func (e *element) content() string {
	text := e.text
	for _, c := range e.children {
		text += c.content()
	}
	return text
}

// within finds the elements of a name below e.
func (e *element) within(name string) []*element {
	var list []*element
	for _, c := range e.children {
		if c.name == name {
			list = append(list, c)
		}
		list = append(list, c.within(name)...)
	}
	return list
}

// byID finds an element.
func byID(t testing.TB, all []*element, id string) *element {
	t.Helper()
	i := slices.IndexFunc(all, func(e *element) bool { return e.attrs["id"] == id })
	if i < 0 {
		t.Fatalf("no element has the id %q", id)
	}
	return all[i]
}

// allowed are the elements that a page may have, and their attributes; those
// under "" are allowed on all.
var allowed = map[string][]string{
	"":     {"class", "id", "title", "role", "tabindex", "aria-label", "aria-labelledby", "aria-hidden"},
	"html": {"lang"}, "head": nil, "meta": {"charset", "http-equiv", "content", "name"}, "title": nil, "link": {"rel", "href"}, "style": nil, "body": nil,
	"a": {"href"}, "header": nil, "nav": nil, "main": nil, "section": nil, "h1": nil, "h2": nil, "h3": nil, "h4": nil, "p": nil, "span": nil, "small": nil,
	"strong": nil, "b": nil, "i": {"style"}, "abbr": nil, "code": nil, "pre": nil, "div": nil, "dl": nil, "dt": nil, "dd": nil, "ul": nil, "li": nil,
	"time": {"datetime"}, "details": {"open"}, "summary": nil, "figure": nil, "figcaption": nil, "img": {"src", "alt", "loading"},
	"table": nil, "thead": nil, "tbody": nil, "tfoot": nil, "tr": nil, "th": {"scope"}, "td": nil,
	"svg": {"xmlns", "width", "height", "viewBox"}, "g": {"transform"}, "path": {"d"}, "rect": {"x", "y", "width", "height"}, "circle": {"cx", "cy", "r"},
	"text": {"x", "y", "text-anchor"},
}

// checkSafe demands that a page has no element or attribute but those that
// the templates and plots write, no address but those in the page, and none of
// the characters that browsers hide.
func checkSafe(t testing.TB, page string, all []*element) {
	t.Helper()
	for _, e := range all {
		list, ok := allowed[e.name]
		if !ok {
			t.Fatalf("the page has an element <%s>", e.name)
		}
		for name, value := range e.attrs {
			if !slices.Contains(allowed[""], name) && !slices.Contains(list, name) {
				t.Errorf("<%s> has an attribute %s=%q", e.name, name, value)
			}
			switch {
			case name == "src" && !strings.HasPrefix(value, "data:image/svg+xml;base64,"),
				name == "href" && e.name == "a" && !strings.HasPrefix(value, "#"),
				name == "href" && e.name == "link" && value != "data:,",
				name == "style" && strings.ContainsAny(value, `"'();\`) && !strings.Contains(value, "calc(100% - "):
				t.Errorf("<%s> has %s=%.80q", e.name, name, value)
			}
		}
	}
	style := named(all, "style")
	if len(style) != 1 {
		t.Fatalf("%d style elements", len(style))
	}
	for _, word := range []string{"url(", "@import", "expression"} {
		if strings.Contains(style[0].text, word) {
			t.Errorf("the style sheet has %s", word)
		}
	}
	invisible := regexp.MustCompile(`[^\P{Cc}\n\t]|[\x{200b}-\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}\x{feff}]`)
	for _, text := range invisible.FindAllString(page, -1) {
		t.Errorf("the page has the character %+q", text)
	}
	policy := ""
	for _, m := range named(all, "meta") {
		if m.attrs["http-equiv"] == "Content-Security-Policy" {
			policy = m.attrs["content"]
		}
	}
	for _, want := range []string{"default-src 'none'", "img-src data:", "style-src 'unsafe-inline'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy %q lacks %s", policy, want)
		}
	}
}

// checkAccess demands what readers of screens and users of keyboards need.
func checkAccess(t testing.TB, all []*element) {
	t.Helper()
	ids := map[string]bool{}
	for _, e := range all {
		if id := e.attrs["id"]; id != "" {
			if ids[id] {
				t.Errorf("two elements have the id %q", id)
			}
			ids[id] = true
		}
	}
	for _, e := range all {
		switch e.name {
		case "a":
			if !ids[strings.TrimPrefix(e.attrs["href"], "#")] {
				t.Errorf("a link leads to %s, which is not there", e.attrs["href"])
			}
		case "img":
			if e.attrs["alt"] == "" {
				t.Error("an image has no alt text")
			}
		case "svg":
			if e.attrs["role"] != "img" || e.attrs["aria-label"] == "" {
				t.Error("a plot has no role or label")
			}
		case "th":
			if s := e.attrs["scope"]; s != "col" && s != "row" {
				t.Errorf("a header cell %q has the scope %q", e.content(), s)
			}
		case "details":
			if len(e.children) == 0 || e.children[0].name != "summary" {
				t.Error("details without a summary")
			}
		case "div":
			if strings.HasPrefix(e.attrs["class"], "scroll") && (e.attrs["tabindex"] != "0" || e.attrs["aria-label"]+e.attrs["aria-labelledby"] == "") {
				t.Error("a box that scrolls cannot be focused or has no label")
			}
		}
		if by := e.attrs["aria-labelledby"]; by != "" && !ids[by] {
			t.Errorf("<%s> is labelled by %q, which is not there", e.name, by)
		}
	}
	if n := len(named(all, "h1")); n != 1 {
		t.Errorf("%d h1", n)
	}
	level := 0
	for _, e := range all {
		if len(e.name) == 2 && e.name[0] == 'h' && e.name[1] >= '1' && e.name[1] <= '6' {
			if n := int(e.name[1] - '0'); n > level+1 {
				t.Errorf("the heading %q jumps from level %d to %d", e.content(), level, n)
				level = n
			} else {
				level = n
			}
		}
	}
	for _, table := range named(all, "table") {
		widths := map[int]bool{}
		for _, row := range table.within("tr") {
			widths[len(row.children)] = true
		}
		if len(widths) > 1 {
			t.Errorf("the rows of a table have different numbers of cells: %v", widths)
		}
	}
}
