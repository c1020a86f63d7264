package lint

import (
	"regexp"
	"slices"
	"strings"
)

// Values of options.
const (
	number   = `\d+`
	variable = `[A-Za-z_][\w.\[\]]*`
	truth    = `true|false`
)

// option is an option of a directive: a word alone, or a name with values, of which
// the word alone may be short for one. Value is a pattern, empty for a word.
type option struct{ name, value string }

// pragmas are the directives that kernels use, as the user guide of Vitis HLS (UG1399)
// documents them from 2022.1 on. Modes of interfaces are those of kernels for cards.
var pragmas = map[string][]option{
	"aggregate": {{"variable", variable}, {"compact", "bit|byte|none|auto"}},
	"array_partition": {{"variable", variable}, {"type", "cyclic|block|complete"}, {"cyclic", ""}, {"block", ""},
		{"complete", ""}, {"factor", number}, {"dim", number}},
	"bind_op":      {{"variable", variable}, {"op", `\w+`}, {"impl", `\w+`}, {"latency", number}},
	"bind_storage": {{"variable", variable}, {"type", `\w+`}, {"impl", `\w+`}, {"latency", number}},
	"dataflow":     {{"disable_start_propagation", ""}},
	"dependence": {
		{"variable", variable}, {"class", "array|pointer"}, {"type", "inter|intra"}, {"inter", ""}, {"intra", ""},
		{"direction", "RAW|WAR|WAW"}, {"distance", number}, {"dependent", truth}, {"true", ""}, {"false", ""},
	},
	"inline":         {{"recursive", ""}, {"off", ""}},
	"latency":        {{"min", number}, {"max", number}},
	"loop_flatten":   {{"off", ""}},
	"loop_tripcount": {{"min", number}, {"max", number}, {"avg", number}},
	"pipeline":       {{"ii", number}, {"off", ""}, {"rewind", ""}, {"style", "stp|frp|flp"}},
	"protocol":       {{"floating", ""}, {"fixed", ""}},
	"stable":         {{"variable", variable}},
	"stream":         {{"variable", variable}, {"type", "fifo|pipo|shared|unsync"}, {"depth", number}, {"off", ""}},
	"unroll":         {{"factor", number}, {"skip_exit_check", ""}},
}

// interfaces are the options of the directive INTERFACE, by its mode, which is a word or
// the value of mode. The tool gives arguments their registers in the Vitis kernel flow:
// s_axilite has no offset there.
var interfaces = map[string][]option{
	"axis": {{"port", variable}, {"register", ""}, {"register_mode", "both|forward|reverse|off"}, {"name", variable},
		{"depth", number}},
	"m_axi": {
		{"port", variable}, {"bundle", variable}, {"offset", "slave"}, {"depth", number}, {"latency", number},
		{"max_widen_bitwidth", number},
		{"num_read_outstanding", number}, {"num_write_outstanding", number}, {"max_read_burst_length", number},
		{"max_write_burst_length", number},
	},
	"s_axilite":     {{"port", variable}, {"bundle", variable}, {"register", ""}, {"name", variable}},
	"ap_none":       {{"port", variable}, {"register", ""}},
	"ap_ctrl_none":  {{"port", "return"}},
	"ap_ctrl_hs":    {{"port", "return"}, {"bundle", variable}},
	"ap_ctrl_chain": {{"port", "return"}, {"bundle", variable}},
}

// needed are options without which a directive says nothing, each with what may stand
// for it.
var needed = map[string][]string{
	"aggregate": {"variable"}, "array_partition": {"variable"}, "bind_op": {"variable"}, "bind_storage": {"variable"},
	"interface": {"port"},
	"stable":    {"variable"}, "stream": {"variable"},
}

var aroundEquals = regexp.MustCompile(`\s*=\s*`)

func (c *checker) pragma(d directive) {
	words := strings.Fields(aroundEquals.ReplaceAllString(d.rest, "="))
	if len(words) == 1 && words[0] == "once" {
		return
	}
	if len(words) < 2 || words[0] != "HLS" {
		c.report(d.line, Directives, "#pragma %s: only #pragma HLS and a directive is known", d.rest)
		return
	}
	name, words := strings.ToLower(words[1]), words[2:]
	options, known := pragmas[name]
	if name == "interface" {
		words, options, known = interfaceMode(words)
	}
	if !known {
		c.report(d.line, Directives, "#pragma %s: no such directive, or no such mode, is among those that kernels use",
			d.rest)
		return
	}
	name = strings.ToUpper(name)
	given := map[string]bool{}
	for _, word := range words {
		key, value, valued := strings.Cut(word, "=")
		i := slices.IndexFunc(options, func(o option) bool {
			return o.name == strings.ToLower(key) &&
				(o.value != "") == valued
		})
		switch {
		case i < 0:
			c.report(d.line, Directives, "%s has no option %s", name, word)
		case valued && !regexp.MustCompile(`^(?:`+options[i].value+`)$`).MatchString(value):
			c.report(d.line, Directives, "%s: %s is no value of %s", name, value, key)
		case given[strings.ToLower(key)]:
			c.report(d.line, Directives, "%s has %s twice", name, key)
		}
		given[strings.ToLower(key)] = true
	}
	for _, option := range needed[strings.ToLower(name)] {
		if !given[option] {
			c.report(d.line, Directives, "%s has no %s", name, option)
		}
	}
}

func interfaceMode(words []string) (others []string, options []option, known bool) {
	for i, word := range words {
		mode := strings.TrimPrefix(word, "mode=")
		if options, known = interfaces[mode]; known {
			return slices.Delete(slices.Clone(words), i, i+1), options, true
		}
	}
	return words, nil, false
}
