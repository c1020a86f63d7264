package emit

import (
	"fmt"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designjson"
	"github.com/cclforge/cclforge/gen/floorplan"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/manual"
)

const (
	manualTemplate    = "docs/manual.md.tmpl"
	platformTemplate  = "docs/platform.md.tmpl"
	interfaceTemplate = "docs/interface.md.tmpl"
	pageTemplate      = "docs/page.html.tmpl"
)

// docs renders what people and other tools read about a platform.
func docs(d *design.Design) ([]File, error) {
	picture := floorplan.SVG(d)
	graph, err := designjson.Marshal(d)
	if err != nil {
		return nil, err
	}
	generation, err := interfaceParts.of(d.ABI())
	if err != nil {
		return nil, err
	}
	platform, err := platformPart(d, generation)
	if err != nil {
		return nil, err
	}
	out := bundle{d: d}
	text, err := execute(manualTemplate, struct {
		Source    string
		Name, Doc string
		Bodies    []string
	}{d.Platform.File, manual.Text(d.Platform.Name), manual.Text(d.Platform.Doc), []string{platform.Markdown,
		generation.Markdown}})
	out.add("docs/manual.md", text, err, platformTemplate, interfaceTemplate, manualTemplate)
	html, err := execute(pageTemplate, newDocPage(d, picture, platform, generation))
	out.add("docs/index.html", html, err, platformTemplate, interfaceTemplate, pageTemplate)
	out.add("docs/floorplan.svg", picture, nil)
	lua, err := dissector(d)
	out.take([]File{lua}, err)
	out.add("design.json", graph, nil)
	return out.files, out.err
}

func platformPart(d *design.Design, generation *manual.Part) (*manual.Part, error) {
	view, err := manual.DescribePlatform(d)
	if err != nil {
		return nil, err
	}
	text, err := execute(platformTemplate, view)
	if err != nil {
		return nil, err
	}
	return manual.NewPart(text, generation)
}

// interfaceParts are the larger part of the manual, and the same for all
// platforms of a generation.
var interfaceParts = perGeneration[*manual.Part]{build: func(g *abi.Generation) (*manual.Part, error) {
	text, err := execute(interfaceTemplate, struct {
		*manual.Generation
		Schema string
		Keys   manual.Table
	}{manual.DescribeGeneration(g), designjson.Schema, manual.KeyTable(designjson.Keys())})
	if err != nil {
		return nil, fmt.Errorf("manual of %s: %w", g.Name, err)
	}
	return manual.NewPart(text)
}}

// docPage is the manual as HTML.
type docPage struct {
	Source, Name, Doc              string
	Contents                       []docChapter
	Floorplan, Platform, Interface string
}

// docChapter is an entry of the table of contents, with those below it.
type docChapter struct {
	manual.Heading
	Below []manual.Heading
}

func newDocPage(d *design.Design, picture []byte, parts ...*manual.Part) docPage {
	p := docPage{
		Source: d.Platform.File, Name: d.Platform.Name, Doc: lang.OneLine(d.Platform.Doc),
		Floorplan: string(picture), Platform: parts[0].HTML, Interface: parts[1].HTML,
	}
	for _, part := range parts {
		for _, h := range part.Headings {
			if last := len(p.Contents) - 1; h.Level > 2 && last >= 0 {
				p.Contents[last].Below = append(p.Contents[last].Below, h)
			} else {
				p.Contents = append(p.Contents, docChapter{Heading: h})
			}
		}
	}
	return p
}
