package command

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/cclforge/cclforge/gen/lang"
)

// book holds mage's answers about targets.
type book struct {
	ask     Ask
	targets map[string]*target // by names and aliases in lower case; nil are no targets
	names   []string           // all of them, once they were needed
	err     error              // mage has not answered
}

// target is mage's description of a target.
type target struct {
	name    string
	help    string
	args    []string // names of what is required
	options []option
	example []string // arguments and options of the example in its description
}

type option struct{ name, kind, comment string }

// kinds are words for the types that mage knows.
var kinds = map[string]string{
	"string": "text", "int": "a whole number", "float64": "a number", "bool": "true or false",
	"time.Duration": "a duration such as 90s or 1h30m",
}

// target is the target of a name or an alias, or nil.
func (b *book) target(word string) *target {
	key := strings.ToLower(word)
	if _, known := b.targets[key]; !known {
		b.targets[key] = b.learn(word)
		if b.targets[key] == nil {
			b.learnAll() // mage has no help for an alias
		}
	}
	return b.targets[key]
}

// near is the target that was probably meant, or "". Prefixes may be missing.
func (b *book) near(word string) string {
	b.learnAll()
	for _, name := range b.names {
		if strings.HasSuffix(name, ":"+strings.ToLower(word)) {
			return name
		}
	}
	return lang.Nearest(word, b.names)
}

// learn asks for one target.
func (b *book) learn(name string) *target {
	text, err := b.ask("-h", name)
	if err != nil {
		if !errors.Is(err, ErrUnknown) {
			b.err = err
		}
		return nil
	}
	t := parse(text)
	for _, alias := range t.aliases() {
		b.targets[strings.ToLower(alias)] = t
	}
	return t
}

// learnAll asks for all targets, once.
func (b *book) learnAll() {
	if b.names != nil || b.err != nil {
		return
	}
	text, err := b.ask("-l")
	_, list, found := strings.Cut(text, "Targets:\n")
	if err == nil && !found {
		err = fmt.Errorf("there are no targets in %q", text)
	}
	if err != nil {
		b.err = err
		return
	}
	for line := range strings.Lines(list) {
		if words := strings.Fields(line); strings.HasPrefix(line, "  ") && len(words) > 0 {
			name := strings.TrimSuffix(words[0], "*") // of the default
			b.names = append(b.names, name)
			if key := strings.ToLower(name); b.targets[key] == nil {
				b.targets[key] = b.learn(name)
			}
		}
	}
}

const (
	usageMark = "Usage:\n\n\t"
	flagsMark = "Flags:\n\n"
)

var (
	requiredText = regexp.MustCompile(`<(\w+)>`)
	optionText   = regexp.MustCompile(`(?m)-(\w+)=<([\w.]+)>(?:\]| *$| +(.*)$)`)
	exampleText  = regexp.MustCompile(`For example: go tool mage \S+ (.*)`)
	aliasText    = regexp.MustCompile(`(?m)^Aliases: (.*)$`)
)

func parse(text string) *target {
	t := &target{help: text}
	at := max(strings.LastIndex(text, usageMark), 0)
	about, form := text[:at], strings.TrimPrefix(text[at:], usageMark)
	form, more, _ := strings.Cut(form, "\n")
	_, form, _ = strings.Cut(form, " ") // the name of the program
	form, options, _ := strings.Cut(form, " [")
	t.name, _, _ = strings.Cut(form, " ")
	for _, m := range requiredText.FindAllStringSubmatch(form, -1) {
		t.args = append(t.args, m[1])
	}
	if _, flags, some := strings.Cut(more, flagsMark); some {
		options = flags
	}
	for _, m := range optionText.FindAllStringSubmatch(options, -1) {
		t.options = append(t.options, option{m[1], m[2], m[3]})
	}
	if m := exampleText.FindStringSubmatch(about); m != nil {
		t.example = strings.Fields(m[1])
	}
	return t
}

func (t *target) aliases() []string {
	m := aliasText.FindStringSubmatch(t.help)
	if m == nil {
		return nil
	}
	return strings.Split(m[1], ", ")
}

// option is the option of a name, or nil.
func (t *target) option(name string) *option {
	for i := range t.options {
		if strings.EqualFold(t.options[i].name, name) {
			return &t.options[i]
		}
	}
	return nil
}

func (t *target) optionNames() []string {
	var names []string
	for _, o := range t.options {
		names = append(names, o.name)
	}
	return names
}

// has says which options there are, behind a sentence.
func (t *target) has() string {
	if len(t.options) == 0 {
		return "; it has none"
	}
	return "; it has -" + strings.Join(t.optionNames(), ", -")
}

// choice is the option that a word is probably meant for: the only one, or that which
// names platforms or a world; nil if there is none.
func (t *target) choice() *option {
	for i, o := range t.options {
		begins := strings.HasPrefix(o.comment, "platform") || strings.HasPrefix(o.comment, "world")
		if o.kind != "bool" && (begins || len(t.options) == 1) {
			return &t.options[i]
		}
	}
	return nil
}

// several reports whether an option takes values with commas between.
func (o *option) several() bool {
	return strings.HasPrefix(o.comment, "platforms") || strings.Contains(o.comment, "commas")
}

// empty reports whether an option takes empty text: its comment says what that means.
func (o *option) empty() bool { return o.kind == "string" && strings.Contains(o.comment, `""`) }

// means says what an option is, behind a sentence.
func (o *option) means() string {
	if o.comment == "" {
		return ""
	}
	return ", " + o.comment
}

// takes reports whether an option takes a value, as mage reads it.
func (o *option) takes(value string) bool {
	var err error
	switch o.kind {
	case "int":
		_, err = strconv.Atoi(value)
	case "float64":
		_, err = strconv.ParseFloat(value, 64)
	case "bool":
		_, err = strconv.ParseBool(value)
	case "time.Duration":
		_, err = time.ParseDuration(value)
	}
	return err == nil
}

// examples are values in comments: in quotes, in parentheses at the end, behind a colon.
var examples = []*regexp.Regexp{
	regexp.MustCompile(`'([^']+)'`), regexp.MustCompile(`\(([^\s()]+)\)$`), regexp.MustCompile(`: ([^\s,]+)`),
}

// example is a value that an option takes, or "".
func (o *option) example() string {
	for _, e := range examples {
		if m := e.FindStringSubmatch(o.comment); m != nil && m[1] != "all" && o.takes(m[1]) {
			return m[1]
		}
	}
	return map[string]string{"int": "1", "float64": "0.5", "bool": "true", "time.Duration": "10m"}[o.kind]
}
