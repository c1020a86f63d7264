package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/cclforge/cclforge/gen/lang"
)

// ErrUnknown is the answer of an Ask about a target that does not exist.
var ErrUnknown = errors.New("unknown target")

// Ask has mage answer: the arguments are "-l", or "-h" and a target. What mage prints is
// all that this package knows of targets, so that it knows the targets of users, too.
type Ask func(args ...string) (string, error)

// Check reads the words behind mage's own options. Help is the description of a target,
// if the words ask for one. An error says the first mistake and, where it can be told, the
// command line without mistakes. Without answers of mage there is no error: mage reads the
// words itself, later.
func Check(words []string, ask Ask) (help string, err error) {
	b := book{ask: ask, targets: map[string]*target{}}
	help, first := b.read(words)
	if first == nil || b.err != nil {
		return help, nil
	}
	// What was mended may show the next mistake.
	line := first.line
	for range words {
		var next *mistake
		if _, next = b.read(line); next == nil {
			break
		}
		line = next.line
	}
	if b.err != nil {
		return "", nil
	}
	if line == nil {
		return "", fmt.Errorf("%s\nNothing was run. %s", first.text, first.more)
	}
	text := "go tool mage"
	for _, w := range line {
		text += " " + quote(w)
	}
	return "", fmt.Errorf("%s\nNothing was run. Write: %s", first.text, text)
}

// mistake is what is wrong with a command line.
type mistake struct {
	text string
	more string   // where one reads on
	line []string // the words that were probably meant; nil if that cannot be told
}

// read reads all targets of a command line, up to the first mistake.
func (b *book) read(words []string) (help string, m *mistake) {
	for at := 0; at < len(words); {
		r := reader{book: b, words: words, at: at}
		r.read()
		if r.helps {
			return r.t.help, nil
		}
		if len(r.problems) > 0 {
			return "", r.mistake()
		}
		at = r.next
	}
	return "", nil
}

// reader reads the words of one target.
type reader struct {
	book  *book
	words []string
	at    int // of the target
	next  int // behind its words
	t     *target

	args, options, chosen []string // as they should be written; chosen are values of t.choice
	follows               string   // the target that was probably meant by the word at next
	helps                 bool
	problems              []string
	lost                  bool // what should be written cannot be told
}

func (r *reader) problem(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

// read reads the name of a target and all words that belong to it.
func (r *reader) read() {
	r.next = r.at
	if r.t = r.book.target(r.words[r.at]); r.t == nil {
		r.unknown()
		return
	}
	late := false // options stand before arguments
	for r.next++; r.next < len(r.words) && !r.helps && r.follows == ""; {
		switch word := r.words[r.next]; {
		case isOption(word) && (len(r.t.options) > 0 || len(r.args) == len(r.t.args) || asksForHelp(word)):
			late = late || len(r.args) < len(r.t.args)
			r.option()
		case len(r.args) < len(r.t.args):
			r.args = append(r.args, word)
			r.next++
		case r.book.target(word) != nil:
			r.order(late)
			return
		case r.book.near(word) != "":
			r.unknown()
		default:
			r.stray()
		}
	}
	r.order(late)
}

// unknown reads a word in the place of a target.
func (r *reader) unknown() {
	word := r.words[r.next]
	if r.follows = r.book.near(word); r.follows == "" {
		r.problem("no target is called %q", word)
		r.lost = true
		return
	}
	r.problem("no target is called %q; did you mean %q?", word, r.follows)
}

// order says which arguments are missing, or stand behind options.
func (r *reader) order(late bool) {
	var problem string
	switch missing := r.t.args[min(len(r.args), len(r.t.args)):]; {
	case len(missing) > 0:
		problem = fmt.Sprintf("%s needs <%s>", r.t.name, strings.Join(missing, "> <"))
		example := slices.Clone(r.t.example)
		if len(example) < len(r.t.args) {
			r.lost = true
			break
		}
		r.args = append(r.args, example[len(r.args):len(r.t.args)]...)
	case late:
		problem = fmt.Sprintf("%s takes <%s> before its options", r.t.name, strings.Join(r.t.args, "> <"))
	default:
		return
	}
	r.problems = slices.Insert(r.problems, 0, problem)
}

// option reads one option, and its value if that is a word of its own.
func (r *reader) option() {
	word := r.words[r.next]
	r.next++
	given, value, valued := strings.Cut(strings.TrimLeft(word, "-"), "=")
	o := r.t.option(given)
	switch {
	case o == nil && asksForHelp(word):
		r.helps = true
		return
	case o == nil:
		if o = r.t.option(lang.Nearest(given, r.t.optionNames())); o == nil {
			r.lost = true
			r.problem("%s has no option %q%s", r.t.name, "-"+given, r.t.has())
			return
		}
		r.problem("%s has no option %q; did you mean -%s?", r.t.name, "-"+given, o.name)
	case strings.HasPrefix(word, "--"):
		r.problem("options have one dash: -%s", o.name)
	}
	switch {
	case !valued && o.kind == "bool":
		r.options = append(r.options, "-"+o.name)
		return
	case !valued:
		r.problem("-%s needs a value: -%s=<%s>%s", o.name, o.name, o.kind, o.means())
		if value = r.separate(o); value == "" {
			value = o.example()
		}
	case value == "" && !o.empty():
		r.problem("-%s= has no value%s", o.name, o.means())
		value = o.example()
	case !o.takes(value):
		r.problem("-%s takes %s, not %q%s", o.name, kinds[o.kind], value, o.means())
		value = o.example()
	}
	if value == "" && !o.empty() {
		r.lost = true
	}
	r.options = append(r.options, "-"+o.name+"="+value)
}

// separate is the value of an option as the word behind it, if it can be meant so.
func (r *reader) separate(o *option) string {
	if r.next == len(r.words) {
		return ""
	}
	if word := r.words[r.next]; isOption(word) || !o.takes(word) || r.book.target(word) != nil {
		return ""
	}
	left := len(r.t.args) - len(r.args)
	for _, w := range r.words[r.next+1:] {
		if !isOption(w) {
			left--
		}
	}
	if left > 0 {
		return "" // it is an argument
	}
	r.next++
	return r.words[r.next-1]
}

// stray is a word that is neither argument nor option nor target.
func (r *reader) stray() {
	word := r.words[r.next]
	r.next++
	name, _, valued := strings.Cut(word, "=")
	o := r.t.option(name)
	if o != nil && valued != (o.kind == "bool") {
		r.problem("options begin with a dash: -%s", o.name)
		r.options = append(r.options, "-"+word)
		return
	}
	takes := "no argument"
	if len(r.t.args) > 0 {
		takes = "only <" + strings.Join(r.t.args, "> <") + ">"
	}
	r.problem("%s takes %s, and %q is no target", r.t.name, takes, word)
	if r.t.choice() == nil || len(r.chosen) > 0 && !r.t.choice().several() {
		r.lost = true
		return
	}
	r.chosen = append(r.chosen, word)
}

// mistake is the first problem, and the command line without any.
func (r *reader) mistake() *mistake {
	m := mistake{text: r.problems[0], more: "All targets: go tool mage -l"}
	line, rest := slices.Clone(r.words[:r.at]), r.words[r.next:]
	if r.t != nil {
		m.more = "Help: go tool mage -h " + r.t.name
		line = append(append(append(line, r.words[r.at]), r.args...), r.choose()...)
	}
	if r.follows != "" {
		line, rest = append(line, r.follows), rest[1:]
	}
	line = append(line, rest...)
	unprintable := func(w string) bool { return strings.ContainsFunc(w, func(c rune) bool { return !unicode.IsPrint(c) }) }
	if !r.lost && !slices.ContainsFunc(line, unprintable) {
		m.line = line
	}
	return &m
}

// choose are the options, with the values that were given as words.
func (r *reader) choose() []string {
	if len(r.chosen) == 0 {
		return r.options
	}
	o := r.t.choice()
	options, values := []string{}, []string{}
	for _, text := range r.options {
		if before, is := strings.CutPrefix(text, "-"+o.name+"="); is {
			values = append(values, before)
			continue
		}
		options = append(options, text)
	}
	values = append(values, r.chosen...)
	if len(values) > 1 && !o.several() {
		r.lost = true
	}
	return append([]string{"-" + o.name + "=" + strings.Join(values, ",")}, options...)
}

// isOption tells options from arguments: a number may be negative.
func isOption(word string) bool {
	name := strings.TrimLeft(word, "-")
	return name != word && name != "" && !unicode.IsDigit(rune(name[0]))
}

func asksForHelp(word string) bool {
	name := strings.ToLower(strings.TrimLeft(word, "-"))
	return name == "h" || name == "help"
}

// quote writes a word for the shell.
func quote(word string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_-./:,@%+=", c)
	}
	if word != "" && !strings.ContainsFunc(word, func(c rune) bool { return !plain(c) }) {
		return word
	}
	before := ""
	if name, value, is := strings.Cut(word, "="); is && isOption(name) && quote(name) == name {
		before, word = name+"=", value
	}
	return before + "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
