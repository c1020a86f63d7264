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
	m := first
	for range 4 * len(words) { // each turn mends one mistake
		if m == nil || m.line == nil || b.err != nil {
			break
		}
		words = m.line
		_, m = b.read(words)
	}
	switch {
	case first == nil || b.err != nil:
		return help, nil
	case m != nil || slices.ContainsFunc(words, unprintable):
		return "", fmt.Errorf("%s\nNothing was run. %s", first.text, first.more)
	}
	text := "go tool mage"
	for _, w := range words {
		text += " " + quote(w)
	}
	return "", fmt.Errorf("%s\nNothing was run. Write: %s", first.text, text)
}

// mistake is what is wrong with a command line.
type mistake struct {
	text string
	more string   // where one reads on
	line []string // the words without this mistake; nil if that cannot be told
}

// read reads all targets of a command line, up to the first mistake or the first target whose
// help is asked for.
func (b *book) read(words []string) (help string, m *mistake) {
	for at := 0; at < len(words) && m == nil; {
		t := b.target(words[at])
		if t == nil {
			return "", b.unknown(words, at)
		}
		r := reader{b, t, words, at}
		if r.asksForHelp() {
			return t.help, nil
		}
		at, m = r.read()
	}
	return "", m
}

// unknown is a word in the place of a target.
func (b *book) unknown(words []string, at int) *mistake {
	m := &mistake{text: fmt.Sprintf("no target is called %q", words[at]), more: "All targets: go tool mage -l"}
	if near := b.near(words[at]); near != "" {
		m.text += fmt.Sprintf("; did you mean %q?", near)
		m.line = replaced(words, at, 1, near)
	}
	return m
}

// replaced are words with others in the place of n of them.
func replaced(words []string, at, n int, with ...string) []string {
	return slices.Replace(slices.Clone(words), at, at+n, with...)
}

// reader reads the words of one target.
type reader struct {
	book  *book
	t     *target
	words []string
	at    int // of the target
}

// mistake is one whose words are mended by others in the place of n of them; with none it
// cannot be told what was meant.
func (r *reader) mistake(text string, at, n int, with ...string) *mistake {
	m := &mistake{text: text, more: "Help: go tool mage -h " + r.t.name}
	if len(with) > 0 {
		m.line = replaced(r.words, at, n, with...)
	}
	return m
}

// asksForHelp reports whether a word before the next target does.
func (r *reader) asksForHelp() bool {
	for _, word := range r.words[r.at+1:] {
		name := strings.ToLower(strings.TrimLeft(word, "-"))
		switch {
		case isOption(word) && (name == "h" || name == "help") && r.t.option(name) == nil:
			return true
		case r.book.target(word) != nil:
			return false
		}
	}
	return false
}

// read reads up to the next target, or to a mistake.
func (r *reader) read() (next int, m *mistake) {
	args := 0
	for i := r.at + 1; i < len(r.words); i++ {
		switch word := r.words[i]; {
		case isOption(word) && (len(r.t.options) > 0 || args == len(r.t.args)):
			if m := r.option(i, args); m != nil {
				return 0, m
			}
		case args < len(r.t.args):
			if args++; i != r.at+args {
				m := r.mistake(fmt.Sprintf("%s takes <%s> before its options", r.t.name, strings.Join(r.t.args, "> <")), i, 1)
				m.line = slices.Insert(replaced(r.words, i, 1), r.at+args, word)
				return 0, m
			}
		case r.book.target(word) != nil:
			return i, nil
		case r.book.near(word) != "":
			return 0, r.book.unknown(r.words, i)
		default:
			return 0, r.stray(i)
		}
	}
	if missing := r.t.args[args:]; len(missing) > 0 {
		text := fmt.Sprintf("%s needs <%s>", r.t.name, strings.Join(missing, "> <"))
		if len(r.t.example) < len(r.t.args) {
			return 0, r.mistake(text, 0, 0)
		}
		return 0, r.mistake(text, r.at+1+args, 0, r.t.example[args:len(r.t.args)]...)
	}
	return len(r.words), nil
}

// option is what is wrong with an option; args are the arguments before it.
func (r *reader) option(at, args int) *mistake {
	word := r.words[at]
	given, value, valued := strings.Cut(strings.TrimLeft(word, "-"), "=")
	o := r.t.option(given)
	switch {
	case o == nil:
		text := fmt.Sprintf("%s has no option %q", r.t.name, "-"+given)
		near := lang.Nearest(given, r.t.optionNames())
		if near == "" {
			return r.mistake(text+r.t.has(), 0, 0)
		}
		return r.mistake(text+"; did you mean -"+near+"?", at, 1, "-"+near+strings.TrimLeft(word, "-")[len(given):])
	case strings.HasPrefix(word, "--"):
		return r.mistake("options have one dash: -"+o.name, at, 1, "-"+strings.TrimLeft(word, "-"))
	case !valued && o.kind == "bool":
		return nil
	}
	var text string
	n := 1
	switch {
	case !valued:
		text = fmt.Sprintf("-%s needs a value: -%s=<%s>%s", o.name, o.name, o.kind, o.means())
		if value = r.separate(o, at+1, args); value != "" {
			n = 2
		}
	case value == "" && !o.empty():
		text = fmt.Sprintf("-%s= has no value%s", o.name, o.means())
	case !o.takes(value):
		text = fmt.Sprintf("-%s takes %s, not %q%s", o.name, kinds[o.kind], value, o.means())
	default:
		return nil
	}
	if n == 1 {
		value = o.example()
	}
	if value == "" {
		return r.mistake(text, 0, 0)
	}
	return r.mistake(text, at, n, "-"+o.name+"="+value)
}

// separate is the value of an option as the word behind it, if it can be meant so: it is
// none of the arguments that are still needed.
func (r *reader) separate(o *option, at, args int) string {
	if at == len(r.words) {
		return ""
	}
	word := r.words[at]
	for _, w := range r.words[at+1:] {
		if !isOption(w) {
			args++
		}
	}
	if isOption(word) || !o.takes(word) || r.book.target(word) != nil || args < len(r.t.args) {
		return ""
	}
	return word
}

// stray is a word that is neither argument nor option nor target.
func (r *reader) stray(at int) *mistake {
	word := r.words[at]
	name, _, valued := strings.Cut(word, "=")
	if o := r.t.option(name); o != nil && valued != (o.kind == "bool") {
		return r.mistake("options begin with a dash: -"+o.name, at, 1, "-"+word)
	}
	takes := "no argument"
	if len(r.t.args) > 0 {
		takes = "only <" + strings.Join(r.t.args, "> <") + ">"
	}
	m := r.mistake(fmt.Sprintf("%s takes %s, and %q is no target", r.t.name, takes, word), 0, 0)
	o := r.t.choice()
	if o == nil {
		return m
	}
	m.line = replaced(r.words, at, 1)
	for i, w := range m.line[r.at:] {
		if strings.HasPrefix(w, "-"+o.name+"=") {
			if m.line[r.at+i] += "," + word; !o.several() {
				m.line = nil
			}
			return m
		}
	}
	m.line = slices.Insert(m.line, r.at+1+len(r.t.args), "-"+o.name+"="+word)
	return m
}

func unprintable(word string) bool {
	return strings.ContainsFunc(word, func(c rune) bool { return !unicode.IsPrint(c) })
}

// isOption tells options from arguments: a number may be negative.
func isOption(word string) bool {
	name := strings.TrimLeft(word, "-")
	return name != word && name != "" && !unicode.IsDigit(rune(name[0]))
}

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
