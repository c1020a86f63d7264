package lint

import (
	"regexp"
	"slices"
	"strings"
)

// source is a file without comments.
type source struct {
	path       string
	directives []directive
	tokens     []token
	members    map[string]bool // names that its classes declare
}

// directive is a line of the preprocessor.
type directive struct {
	line       int
	name, rest string
	conditions []string // of the #if that it is in, from the outside in
}

// token is a word, a number or a character of code.
type token struct {
	text string
	line int
}

// sources are all files of a platform.
type sources struct {
	all     []*source
	members map[string]bool
}

func newSources(files []File) *sources {
	set := &sources{members: map[string]bool{}}
	for _, f := range files {
		s := parse(f)
		set.all = append(set.all, s)
		for name := range s.members {
			set.members[name] = true
		}
	}
	return set
}

// has says whether there is a file of a base name.
func (s *sources) has(name string) bool {
	return slices.ContainsFunc(s.all, func(o *source) bool {
		return o.path == name ||
			strings.HasSuffix(o.path, "/"+name)
	})
}

// textual are comments, strings and characters.
var textual = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`)

// bare replaces comments by a blank and what is in quotes by nothing; lines stay.
// Names of headers in quotes stay as well.
func bare(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if m := quotedHeader.FindStringSubmatch(line); m != nil {
			lines[i] = "#include <\"" + m[1] + ">\n" // no longer a string
		}
	}
	return textual.ReplaceAllStringFunc(strings.Join(lines, ""), func(s string) string {
		blank := strings.Repeat("\n", strings.Count(s, "\n"))
		if s[0] == '/' {
			return " " + blank
		}
		return s[:1] + s[:1]
	})
}

var (
	quotedHeader = regexp.MustCompile(`^\s*#\s*include\s*"([^"]*)"`)
	anyDirective = regexp.MustCompile(`^\s*#\s*(\w*)\s*(.*?)\s*$`)
	anyToken     = regexp.MustCompile(`[A-Za-z_]\w*|\d(?:[\w.']|[eEpP][+-])*|->|::|\S`)
)

func parse(f File) *source {
	s := &source{path: f.Path, members: map[string]bool{}}
	var conditions []string
	continued := ""
	for i, line := range strings.Split(bare(f.Text), "\n") {
		if rest, more := strings.CutSuffix(strings.TrimRight(line, " \t"), `\`); more {
			continued += rest
			continue
		}
		line, continued = continued+line, ""
		m := anyDirective.FindStringSubmatch(line)
		if m == nil {
			for _, t := range anyToken.FindAllString(line, -1) {
				s.tokens = append(s.tokens, token{t, i + 1})
			}
			continue
		}
		switch m[1] {
		case "if", "ifdef", "ifndef":
			conditions = append(slices.Clone(conditions), m[1]+" "+m[2])
		case "else", "elif":
			if len(conditions) > 0 {
				conditions = append(slices.Clone(conditions[:len(conditions)-1]), m[1]+" "+m[2])
			}
		case "endif":
			if len(conditions) > 0 {
				conditions = conditions[:len(conditions)-1]
			}
		case "define": // what it stands for is code
			for _, t := range anyToken.FindAllString(m[2], -1) {
				s.tokens = append(s.tokens, token{t, i + 1})
			}
		}
		s.directives = append(s.directives, directive{i + 1, m[1], m[2], conditions})
	}
	s.declared()
	return s
}

// declared collects what classes declare: the names before a parenthesis, an
// initialiser or the end of a declaration, at the level of the class.
func (s *source) declared() {
	type scope struct{ class bool }
	scopes := []scope{{}}
	parentheses := 0
	var head []string // since the last declaration or brace
	for i, t := range s.tokens {
		class := scopes[len(scopes)-1].class && parentheses == 0
		switch t.text {
		case "(", ";", "=", "[", ",", "{":
			if class && i > 0 && isName(s.tokens[i-1].text) {
				s.members[s.tokens[i-1].text] = true
			}
		}
		// A pointer to a function: (*name)(…).
		if scopes[len(scopes)-1].class && i > 1 && t.text == ")" && s.tokens[i-2].text == "*" && isName(s.tokens[i-1].text) {
			s.members[s.tokens[i-1].text] = true
		}
		switch t.text {
		case "(":
			parentheses++
		case ")":
			parentheses = max(0, parentheses-1)
		case "{":
			scopes = append(scopes, scope{isClass(head)})
			head = nil
		case "}":
			if len(scopes) > 1 {
				scopes = scopes[:len(scopes)-1]
			}
			head = nil
		case ";":
			head = nil
		default:
			head = append(head, t.text)
		}
	}
}

// isClass says whether what stands before a brace begins a class.
func isClass(head []string) bool {
	is := func(words ...string) func(string) bool {
		return func(s string) bool { return slices.Contains(words, s) }
	}
	if len(head) > 0 && head[0] == "template" { // its parameters say class, too
		head = head[afterTemplate(head):]
	}
	return slices.ContainsFunc(head, is("struct", "class", "union")) && !slices.ContainsFunc(head, is("enum", ")"))
}

// afterTemplate is where the declaration behind template <…> begins.
func afterTemplate(head []string) int {
	depth := 0
	for i, t := range head {
		switch t {
		case "<":
			depth++
		case ">":
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(head)
}

func isName(s string) bool {
	return s != "" && (s[0] == '_' || s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z')
}
