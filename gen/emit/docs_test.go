package emit

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/platform"
)

// documents renders the documents of a design, by path.
func documents(t testing.TB, d *design.Design) map[string][]byte {
	t.Helper()
	files, err := docs(d)
	assert.NilError(t, err)
	out := map[string][]byte{}
	for _, f := range files {
		out[f.Path] = f.Content
	}
	return out
}

// tables reads the rows of a Markdown file: the cells of each, without marks
// of code and links, joined by " | ", under the heading they stand below.
func tables(markdown []byte) map[string][]string {
	out := map[string][]string{}
	heading := ""
	for line := range strings.Lines(string(markdown)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			heading = strings.TrimLeft(line, "# ")
		}
		if strings.HasPrefix(line, "|") {
			out[heading] = append(out[heading], unmarked(strings.Trim(line, "| ")))
		}
	}
	return out
}

var linkTarget = regexp.MustCompile(`\]\(#[^)]*\)`)

func unmarked(s string) string {
	s = linkTarget.ReplaceAllString(s, "")
	return strings.NewReplacer("`", "", "[", "", "]", "", `\`, "").Replace(s)
}

// manualPlatforms speak the three interface generations.
var manualPlatforms = []string{"u280_manual", "u280_2022", "u55c_tcp"}

// expectedRows walks a generation: what the manual must say under which
// heading.
func expectedRows(g *abi.Generation) map[string][]string {
	rows := map[string][]string{}
	add := func(heading, format string, args ...any) {
		rows[heading] = append(rows[heading], unmarked(fmt.Sprintf(format, args...)))
	}
	words := func(heading string, list []abi.RecordWord) {
		for i, w := range list {
			add(heading, "%d | 0x%04X | %s | %s", i, 4*i, w.Name, w.Doc)
		}
	}
	for _, e := range g.Enums {
		for _, v := range e.Values {
			add("Enum "+e.Name, "%d | %s | %s", v.Value, v.Name, v.Doc)
		}
	}
	for _, s := range g.BitSets {
		for _, b := range s.Bits {
			add("Bit set "+s.Name, "%d | 0x%08X | %s | %s", b.At, uint32(1)<<b.At, b.Name, b.Doc)
		}
	}
	for _, l := range g.Layouts {
		for _, f := range l.Fields {
			bits := fmt.Sprintf("%d:%d", f.High, f.Low)
			if f.High == f.Low {
				bits = fmt.Sprint(f.Low)
			}
			add("Layout "+l.Name, "%s | %d | %s | %s", bits, f.Bits(), f.Name, f.Doc)
		}
	}
	for _, r := range g.Records {
		words("Record "+r.Name, r.Words)
	}
	for _, m := range g.Registers {
		for _, r := range m.Registers {
			width := fmt.Sprint(r.Width)
			if r.Count > 1 {
				width = fmt.Sprintf("%d × %d", r.Count, r.Width)
			}
			if m.Base != 0 {
				add("Registers "+m.Name, "0x%04X | 0x%04X | %s | %s |", r.At, m.Base+r.At, r.Name, width)
			} else {
				add("Registers "+m.Name, "0x%04X | %s | %s |", r.At, r.Name, width)
			}
		}
	}
	for _, m := range g.Memories {
		for _, w := range m.Words {
			add("Memory "+m.Name, "0x%04X | 0x%04X | %s |", w.At, m.ProcessorBase+w.At-m.Base, w.Name)
		}
		for _, t := range m.Tables {
			words("Memory "+m.Name, t.Header)
			words("Memory "+m.Name, t.Record)
		}
	}
	for _, c := range g.Constants {
		add("Interface "+g.Name, "%s | ", c.Name)
	}
	for _, t := range g.Types {
		add("Interface "+g.Name, "%s | %d", t.Name, t.Bytes)
	}
	return rows
}

func TestManualSaysEverythingOfTheGeneration(t *testing.T) {
	designs := []*design.Design{moved(t)}
	for _, name := range manualPlatforms {
		designs = append(designs, designtest.Load(t, name, nil))
	}
	for _, d := range designs {
		checkRows(t, d.Platform.Name, expectedRows(d.ABI()), tables(documents(t, d)["docs/manual.md"]))
	}
}

// The plugins' numbers are typed from contracts/abi.md.
func TestManualAgreesWithTheContract(t *testing.T) {
	checkRows(t, "u55c_tcp", map[string][]string{
		"Arithmetic and compression": {
			"float16 | 4 | 9", "float64 | 1 | 6", "float32 | float16 | 0", "float16 | float32 | 1",
			"0x04F4 | float32, 4 B | float16, 2 B | 0 | 0 | 1 | compressed | 4, 9",
		},
		"Streams": {
			"network | poe_0.m_axis_tcp_notification | ccl_offload_0.s_axis_eth_notification | 128 | – | 512",
		},
		"Memory":              {"poe_0.m01_axi | 512 | HBM6"},         // brackets are gone
		"Exchange memory map": {"0x0000 | 0x0007", "0x0008 | 0x01C7"}, // 16 records of 7 words
	}, tables(documents(t, designtest.Load(t, "u55c_tcp", nil))["docs/manual.md"]))
}

func checkRows(t *testing.T, name string, want, got map[string][]string) {
	t.Helper()
	for heading, rows := range want {
		for _, row := range rows {
			n := 0
			for _, line := range got[heading] {
				if strings.HasPrefix(line, row) {
					n++
				}
			}
			assert.Check(t, n != 0, "%s: no row %q under %q", name, row, heading)
		}
	}
}

// The map of the exchange memory has no hole and no overlap; words of the hardware may follow its end.
func TestExchangeMapIsComplete(t *testing.T) {
	for _, name := range designtest.Library(t).PlatformNames() {
		d := designtest.Load(t, name, nil)
		m := d.ABI().Memory(abi.Exchange)
		next, full := m.Base, false
		for _, row := range tables(documents(t, d)["docs/manual.md"])["Exchange memory map"][2:] {
			var first, last, processor, bytes uint32
			_, err := fmt.Sscanf(row, "0x%X | 0x%X | 0x%X | %d", &first, &last, &processor, &bytes)
			assert.NilError(t, err, "%s: row %q", name, row)
			assert.Check(t, first == next && last == first+bytes-1 && processor-first == m.ProcessorBase-m.Base,
				"%s: row %q does not follow 0x%X", name, row, next)
			next = last + 1
			full = full || next == m.Base+m.Size
		}
		assert.Check(t, full, "%s: no row ends at 0x%X, the end of the memory", name, m.Base+m.Size)
	}
}

func TestManualListsTheGraph(t *testing.T) {
	d := designtest.Load(t, "u55c_axis3x", map[string]cty.Value{"user_kernel": cty.StringVal("vadd_put"),
		"host_memory": cty.True})
	want := map[string][]string{}
	for _, in := range d.Instances {
		want["Kernels"] = append(want["Kernels"], in.Name+" | "+in.Kernel.Name+" | ")
	}
	for _, s := range d.Streams {
		want["Streams"] = append(want["Streams"], fmt.Sprintf("%s | %s.%s | %s.%s | ", s.Group, s.From.Instance.Name,
			s.From.Name, s.To.Instance.Name, s.To.Name))
	}
	for _, m := range d.Memories {
		want["Memory"] = append(want["Memory"], fmt.Sprintf("%s.%s | %d | %s", m.Port.Instance.Name, m.Port.Name,
			m.Port.Width, m.Memory))
	}
	checkRows(t, d.Platform.Name, want, tables(documents(t, d)["docs/manual.md"]))
}

// What is built differs from the tables where a shell or a switch is in their
// place.
func TestManualSaysWhatIsBuilt(t *testing.T) {
	for name, d := range map[string]*design.Design{
		"u55c_rdma": designtest.Load(t, "u55c_rdma", nil), "u55c_tcp": designtest.Load(t, "u55c_tcp", nil),
		"u55c_axis3x": designtest.Load(t, "u55c_axis3x", nil),
	} {
		text := documents(t, d)["docs/manual.md"]
		for sentence, there := range map[string]bool{
			"built into the shell coyote": name == "u55c_rdma", "a switch takes its place": name == "u55c_axis3x",
		} {
			if bytes.Contains(text, []byte(sentence)) != there {
				t.Errorf("%s: %q in the manual: %v", name, sentence, !there)
			}
		}
	}
}

// pageFacts is what a browser would follow or identify in a page. It fails on
// pages that are not well-formed.
type pageFacts struct {
	ids, links []string
	loads      []string // whatever a browser would fetch
	elements   map[string]int
}

func readPage(t *testing.T, html []byte) pageFacts {
	t.Helper()
	facts := pageFacts{elements: map[string]int{}}
	decoder := xml.NewDecoder(bytes.NewReader(html))
	decoder.Entity = xml.HTMLEntity
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return facts
		}
		assert.NilError(t, err, "page is not well-formed")
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		facts.elements[element.Name.Local]++
		for _, a := range element.Attr {
			switch a.Name.Local {
			case "id":
				facts.ids = append(facts.ids, a.Value)
			case "href":
				facts.links = append(facts.links, a.Value)
			case "src", "srcset", "data", "action", "poster", "background":
				facts.loads = append(facts.loads, a.Value)
			}
			if strings.HasPrefix(a.Name.Local, "on") {
				t.Errorf("attribute %s=%q", a.Name.Local, a.Value)
			}
		}
	}
}

func TestPageStandsAlone(t *testing.T) {
	for _, name := range designtest.Library(t).PlatformNames() {
		d := designtest.Load(t, name, nil)
		rendered := documents(t, d)
		html := rendered["docs/index.html"]
		facts := readPage(t, html)
		checkAnchors(t, name, facts)
		if facts.elements["script"]+facts.elements["link"]+facts.elements["img"]+facts.elements["iframe"] > 0 ||
			len(facts.loads) > 0 {
			t.Errorf("%s: the page loads something: %v %v", name, facts.elements, facts.loads)
		}
		assert.Check(t, !bytes.Contains(html, []byte("url(")) && !bytes.Contains(html, []byte("@import")),
			"%s: a style loads something", name)
		assert.Check(t, bytes.Contains(html, rendered["docs/floorplan.svg"]),
			"%s: the floorplan is not in the page", name)
		assert.Check(t, facts.elements["table"] >= 20 && facts.elements["td"] >= 500,
			"%s: %d tables with %d cells", name, facts.elements["table"], facts.elements["td"])
	}
}

func checkAnchors(t *testing.T, name string, facts pageFacts) {
	t.Helper()
	known := map[string]bool{}
	for _, id := range facts.ids {
		assert.Check(t, !known[id], "%s: two elements have the id %q", name, id)
		known[id] = true
	}
	assert.Check(t, len(facts.links) != 0, "%s: no links", name)
	for _, link := range facts.links {
		target, ok := strings.CutPrefix(link, "#")
		assert.Check(t, ok && known[target], "%s: link %q leads nowhere", name, link)
	}
}

var (
	headingLine = regexp.MustCompile(`(?m)^#+ (.*)$`)
	markedLink  = regexp.MustCompile(`\]\(#([^)]*)\)`)
)

// Links of the Markdown work where GitHub shows it: headings in lower case,
// blanks as dashes, punctuation gone.
func TestManualLinks(t *testing.T) {
	for _, name := range manualPlatforms {
		text := documents(t, designtest.Load(t, name, nil))["docs/manual.md"]
		anchors := map[string]bool{}
		for _, m := range headingLine.FindAllSubmatch(text, -1) {
			heading := strings.ToLower(strings.ReplaceAll(unmarked(string(m[1])), " ", "-"))
			anchors[regexp.MustCompile(`[^a-z0-9_-]`).ReplaceAllString(heading, "")] = true
		}
		links := markedLink.FindAllSubmatch(text, -1)
		assert.Check(t, len(links) >= 20, "%s: %d links", name, len(links))
		for _, m := range links {
			assert.Check(t, anchors[string(m[1])], "%s: link to #%s leads nowhere", name, m[1])
		}
	}
}

const hostile = "a | b\n# no heading\n<script>alert(1)</script> [x](http://example.com) " +
	"![y](http://example.com/y.png) `*/ --> {{.}} \\"

func TestHostileTextInDocuments(t *testing.T) {
	d := designtest.Load(t, "u55c_tcp", nil)
	headings := len(headingLine.FindAll(documents(t, d)["docs/manual.md"], -1))
	p, board, generation := *d.Platform, *d.Platform.Board, *d.Platform.ABI
	p.Doc, board.Doc, generation.Doc = hostile, hostile, hostile
	generation.Enums = slices.Clone(generation.Enums)
	for i := range generation.Enums {
		generation.Enums[i].Doc = hostile
		generation.Enums[i].Values = slices.Clone(generation.Enums[i].Values)
		for j := range generation.Enums[i].Values {
			generation.Enums[i].Values[j].Doc = hostile
		}
	}
	p.Board, p.ABI, d.Platform = &board, &generation, &p
	for _, in := range d.Instances {
		in.Kernel.Doc, in.Kernel.Origin = hostile, hostile
	}
	rendered := documents(t, d)
	facts := readPage(t, rendered["docs/index.html"])
	checkAnchors(t, "hostile", facts)
	assert.Check(t, facts.elements["script"]+facts.elements["img"] <= 0 && len(facts.loads) == 0,
		"text of a user became markup: %v", facts.elements)
	n := len(headingLine.FindAll(rendered["docs/manual.md"], -1))
	assert.Check(t, n == headings, "%d headings, want %d", n, headings)
	checkColumns(t, rendered["docs/manual.md"])
}

// checkColumns compares the cells of each row with its table's first row.
func checkColumns(t *testing.T, markdown []byte) {
	t.Helper()
	bars := regexp.MustCompile(`(^|[^\\])\|`)
	columns := 0
	for line := range strings.Lines(string(markdown)) {
		if !strings.HasPrefix(line, "|") {
			columns = 0
			continue
		}
		n := len(bars.FindAllString(line, -1))
		columns = cmp.Or(columns, n)
		assert.Check(t, n == columns, "row has %d cells, its table %d: %s", n, columns, line)
	}
}

// A platform without plugins, memory ports or limits has a manual as well.
func TestManualOfABarePlatform(t *testing.T) {
	d := designtest.Load(t, "u50_udp", nil)
	p := *d.Platform
	p.Arithmetic, p.Compression, p.Limits, p.Declared = nil, nil, platform.Limits{}, nil
	d.Platform, d.Configs, d.Memories, d.Exchange.ArithmeticConfigs = &p, nil, nil, nil
	text := string(documents(t, d)["docs/manual.md"])
	for _, want := range []string{"The engines cannot reduce.", "No lane has a compression plugin.",
		"No kernel is connected to a memory bank."} {
		assert.Check(t, is.Contains(text, want), "manual does")
	}
	checkColumns(t, []byte(text))
}

func TestManualListsTheVariables(t *testing.T) {
	d := designtest.Load(t, "u55c_tcp", map[string]cty.Value{"user_kernel": cty.StringVal("vadd_put")})
	text := strings.Join(strings.Fields(string(documents(t, d)["docs/manual.md"])), " ")
	for _, row := range []string{
		"| Variable | Value | Type | Default | Meaning |",
		"| `ethernet_port` | `0` | `number` | `0` | Ethernet port of the card. |",
		"| `user_kernel` | `\"vadd_put\"` | `string` | `\"\"` | Kernel at the engine's stream, for example vadd_put; " +
			"empty closes the stream. |",
	} {
		assert.Check(t, is.Contains(text, row), "manual has no row")
	}
}
