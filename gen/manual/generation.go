package manual

import (
	"maps"
	"slices"

	"github.com/cclforge/cclforge/gen/abi"
)

// Generation is the part of the manual about an interface version, which is the
// same for all platforms.
type Generation struct {
	Name, Doc string
	Features  Table
	Types     Table
	Constants Table
	Chapters  []Chapter
}

// Chapter of the manual. Its entries are tables of their own headings.
type Chapter struct {
	Title, Text string
	Overview    *Table
	Entries     []Entry
}

// Entry describes one thing that the generation names.
type Entry struct {
	Title  string // "Enum operation", also the target of references
	Doc    string // Markdown
	Tables []Table
}

// plan of a chapter: what it begins with. What the texts of that refer to
// follows, and what is left goes to the last chapter.
type plan struct {
	title, text string
	begin       func(*element) bool
}

var chapters = []plan{
	{"Calls",
		"A call is a record of words, placed through the registers of the host controller or by a kernel on a stream.",
		func(e *element) bool {
			return e.is("record", abi.Call) || e.is("registers", abi.HostControl) || e.is("enum", abi.ConfigFunctions) ||
				e.is("enum", abi.ReduceFunctions)
		}},
	{"Return code", "Every call is answered by one word.",
		func(e *element) bool { return e.is("bit set", abi.ReturnCode) }},
	{"Exchange memory",
		"Offsets are those that the host sees. Tables follow one another without gaps; all words are little-endian.",
		func(e *element) bool {
			return e.is("memory", abi.Exchange) || e.is("layout", abi.HardwareID)
		}},
	{"Messages", messagesText, func(e *element) bool { return e.is("layout", abi.MessageHeader) }},
	{processorChapter,
		"The control processor reads calls, issues moves and watches what becomes of them through memory-mapped registers.",
		func(e *element) bool { return e.processor }},
	{"Streams and the rest", "Words on the streams between kernels, and what else has a name.",
		func(*element) bool { return true }},
}

const processorChapter = "Control processor"

// DescribeGeneration prepares the manual of a generation.
func DescribeGeneration(g *abi.Generation) *Generation {
	out := &Generation{Name: g.Name, Doc: Text(g.Doc), Features: newTable("Feature", "In this interface")}
	for _, name := range slices.Sorted(maps.Keys(g.Features)) {
		out.Features.add(Code(name), yesNo(g.Features[name]))
	}
	elements := elementsOf(g)
	out.Types, out.Constants = typeTable(g, elements), constantTable(g, elements)
	for _, c := range chapters {
		var roots []*element
		for _, e := range elements.list {
			if !e.placed && c.begin(e) {
				roots = append(roots, e)
			}
		}
		chapter := Chapter{Title: c.title, Text: c.text}
		for _, e := range elements.withReferences(roots, c.begin) {
			chapter.Entries = append(chapter.Entries, e.entry())
		}
		if c.title == processorChapter {
			chapter.Overview = processorMap(g)
		}
		if len(chapter.Entries) > 0 {
			out.Chapters = append(out.Chapters, chapter)
		}
	}
	return out
}
