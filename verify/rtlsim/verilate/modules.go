package verilate

import (
	"regexp"
	"slices"
	"strings"
)

// signal is a port or a variable of a module.
type signal struct {
	name      string
	direction string // input, output or "" for variables of the module
	vector    bool
	typ       string // name of its type, if that is not logic
}

// module is what is said of a module outside of its logic.
type module struct {
	name      string
	signals   []signal // in the order of their declarations
	at        map[string]int
	instances []instance
}

type instance struct {
	module, name string
	pins         map[string]string // what is at them, by port
	rest         bool              // all other ports are joined by name
}

func (m *module) add(s signal) {
	if _, twice := m.at[s.name]; !twice {
		m.at[s.name] = len(m.signals)
		m.signals = append(m.signals, s)
	}
}

func (m *module) signal(name string) (signal, bool) {
	i, ok := m.at[name]
	if !ok {
		return signal{}, false
	}
	return m.signals[i], true
}

var (
	comments   = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/|\(\*.*?\*\)`)
	strings_   = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	directives = regexp.MustCompile("(?m)^\\s*`(?:default_nettype|timescale|include|define|undef).*$")
	heads      = regexp.MustCompile(`\bmodule\s+(\w+)`)
	inner      = regexp.MustCompile(`(?s)\bfunction\b.*?\bendfunction\b|\btask\b.*?\bendtask\b`)
	ranges     = regexp.MustCompile(`\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]`)
	words      = regexp.MustCompile(`[\w:]+`)
	blocks     = regexp.MustCompile(`\b(?:begin|end|generate|endgenerate)\b`)
	variables  = regexp.MustCompile(`^(?:logic|wire|reg|bit|\w+_pkg::\w+|\w+_t)\b`)
	assigned   = regexp.MustCompile(`[^=!<>]=[^=]`)
)

// parse finds the modules of a source file, as the project writes them: ports in
// the head of the module, declarations as statements of their own.
func parse(text string) []*module {
	text = comments.ReplaceAllString(text, " ")
	text = strings_.ReplaceAllString(text, `""`)
	text = conditional(directives.ReplaceAllString(text, ""))
	var all []*module
	for {
		at := heads.FindStringSubmatchIndex(text)
		if at == nil {
			return all
		}
		m := &module{name: text[at[2]:at[3]], at: map[string]int{}}
		text = text[at[1]:]
		end := strings.Index(text, "endmodule")
		if end < 0 {
			return all
		}
		body := text[:end]
		text = text[end:]
		var group string
		if rest := strings.TrimSpace(body); strings.HasPrefix(rest, "#") {
			_, body = enclosed(rest)
		}
		group, body = enclosed(body)
		m.ports(group)
		m.body(inner.ReplaceAllString(body, " "))
		all = append(all, m)
	}
}

// conditional leaves out what is not compiled: as Verilator does, in simulations.
func conditional(text string) string {
	defined := map[string]bool{"VERILATOR": true, "CCLO_SIMULATION": true}
	var kept []string
	var on []bool
	for _, line := range strings.Split(text, "\n") {
		f := strings.Fields(line)
		switch {
		case len(f) > 1 && f[0] == "`ifdef":
			on = append(on, defined[f[1]])
		case len(f) > 1 && f[0] == "`ifndef":
			on = append(on, !defined[f[1]])
		case len(f) > 0 && f[0] == "`else" && len(on) > 0:
			on[len(on)-1] = !on[len(on)-1]
		case len(f) > 0 && f[0] == "`endif" && len(on) > 0:
			on = on[:len(on)-1]
		case !slices.Contains(on, false):
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// enclosed is what the first parentheses of a text enclose, and what follows.
func enclosed(text string) (in, rest string) {
	begin := strings.IndexByte(text, '(')
	if begin < 0 {
		return "", text
	}
	depth := 0
	for i := begin; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return text[begin+1 : i], text[i+1:]
			}
		}
	}
	return text[begin+1:], ""
}

// parts splits a list at the commas that nothing encloses.
func parts(list string) []string {
	var out []string
	depth, from := 0, 0
	for i := range len(list) {
		switch list[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(list[from:i]))
				from = i + 1
			}
		}
	}
	if last := strings.TrimSpace(list[from:]); last != "" {
		out = append(out, last)
	}
	return out
}

// declared reads what stands before and with a name.
func declared(text string, before signal) (s signal, ok bool) {
	if i := assigned.FindStringIndex(text); i != nil {
		text = text[:i[0]+1]
	}
	bare := ranges.ReplaceAllString(text, " [] ")
	// An array of words is not packed.
	if strings.HasSuffix(strings.TrimSpace(bare), "[]") {
		return signal{}, false
	}
	found := words.FindAllString(bare, -1)
	if len(found) == 0 {
		return signal{}, false
	}
	s = signal{name: found[len(found)-1], direction: before.direction, vector: before.vector, typ: before.typ}
	if len(found) > 1 {
		s.vector, s.typ = strings.Contains(bare, "[]"), ""
	}
	for _, w := range found[:len(found)-1] {
		switch w {
		case "input", "output", "inout":
			s.direction = w
		case "wire", "logic", "reg", "bit", "var", "signed", "unsigned":
		default:
			s.typ = w
		}
	}
	return s, true
}

func (m *module) ports(list string) {
	var last signal
	for _, p := range parts(list) {
		if s, ok := declared(p, last); ok {
			m.add(s)
			last = s
		}
	}
}

// body reads the declarations and instances that no generate block encloses.
func (m *module) body(text string) {
	depth, from := 0, 0
	var outside strings.Builder
	for _, b := range blocks.FindAllStringIndex(text, -1) {
		switch word := text[b[0]:b[1]]; word {
		case "begin", "generate":
			if depth == 0 {
				outside.WriteString(text[from:b[0]])
			}
			depth++
		default:
			if depth--; depth == 0 {
				outside.WriteString(";")
				from = b[1]
			}
		}
	}
	if depth == 0 {
		outside.WriteString(text[from:])
	}
	for _, statement := range strings.Split(outside.String(), ";") {
		statement = strings.TrimSpace(statement)
		if variables.MatchString(statement) {
			m.variables(statement)
			continue
		}
		m.instance(statement)
	}
}

func (m *module) variables(statement string) {
	var last signal
	for i, p := range parts(statement) {
		s, ok := declared(p, last)
		if !ok {
			continue
		}
		if i == 0 || s.typ == "" {
			last = s
		}
		m.add(s)
	}
}

var instances = regexp.MustCompile(`^(\w+)\s*(#)?`)

func (m *module) instance(statement string) {
	head := instances.FindStringSubmatch(statement)
	if head == nil || slices.Contains([]string{"assign", "if", "for", "case", "localparam", "parameter", "genvar",
		"typedef", "import", "always_ff", "always_comb", "initial", "else", "assert"}, head[1]) {
		return
	}
	rest := statement[len(head[0]):]
	if head[2] != "" {
		_, rest = enclosed(rest)
	}
	begin := strings.IndexByte(rest, '(')
	if begin < 0 {
		return
	}
	name := strings.TrimSpace(rest[:begin])
	if words.FindString(name) != name || name == "" {
		return
	}
	list, _ := enclosed(rest)
	i := instance{module: head[1], name: name, pins: map[string]string{}}
	for _, p := range parts(list) {
		port, ok := strings.CutPrefix(p, ".")
		if !ok {
			return
		}
		if port == "*" {
			i.rest = true
			continue
		}
		if j := strings.IndexByte(port, '('); j >= 0 {
			at, _ := enclosed(port)
			i.pins[strings.TrimSpace(port[:j])] = strings.TrimSpace(at)
			continue
		}
		i.pins[port] = port
	}
	m.instances = append(m.instances, i)
}
