package emit

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/cclforge/cclforge/gen/lang"
)

// Limits of one output. Work is counted, so that a template ends on every machine or
// on none; the time is for what a count does not see.
const (
	maxOutputBytes = 4 << 20
	maxWork        = 64 << 20 // bytes that pass through functions, and others as below
	maxTime        = 30 * time.Second
	stepWork       = 128 // one turn of a loop, or one call
	valueWork      = 16  // a value, beside the bytes of its text
)

// limitError ends a template that exceeds a limit.
type limitError struct {
	summary, detail string
	line            int // of the body that was executed; 0 if the error has a place
}

func (e *limitError) Error() string { return e.detail }

func tooLong(line int) *limitError {
	return &limitError{"Template takes too long",
		"The template does not end within its limit; look for loops without end, or values that grow without bound", line}
}

// budget is the work that a template has left.
type budget struct {
	left  uint64
	until time.Time
}

func newBudget() *budget { return &budget{maxWork, time.Now().Add(maxTime)} }

// spend panics with a *limitError if the work is used up; text/template makes an
// error of that, with the place of the call.
func (b *budget) spend(work uint64) {
	if work > b.left || time.Now().After(b.until) {
		b.left = 0
		panic(tooLong(0))
	}
	b.left -= work
}

// step is called at the beginning of each body of a loop or template.
func (b *budget) step(line int) (string, error) {
	if b.left < stepWork || time.Now().After(b.until) {
		return "", tooLong(line)
	}
	b.left -= stepWork
	return "", nil
}

// size is the work that it takes to look at a value once.
func (b *budget) size(v reflect.Value, depth int) uint64 {
	if depth > lang.MaxDepth {
		panic(&limitError{"Nested too deeply",
			fmt.Sprintf("Lists and objects may be nested at most %d deep", lang.MaxDepth), 0})
	}
	n := uint64(valueWork)
	switch v.Kind() {
	case reflect.String:
		n += uint64(v.Len())
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			n += b.size(v.Elem(), depth)
		}
	case reflect.Slice, reflect.Array:
		for i := 0; i < v.Len() && n <= b.left; i++ {
			n += b.size(v.Index(i), depth+1)
		}
	case reflect.Map:
		for at := v.MapRange(); at.Next() && n <= b.left; {
			n += b.size(at.Key(), depth+1) + b.size(at.Value(), depth+1)
		}
	}
	return n
}

// multiplying are functions whose work, or result, is as large as the product of
// their arguments.
var multiplying = regexp.MustCompile(
	`^(indent|join|nindent|repeat|replace|seq|trimAll|uniq|until|untilStep|without|wrap|wrapWith|(must)?[rR]egex.*)$`)

// product bounds the work of a multiplying function.
func (b *budget) product(args []reflect.Value) uint64 {
	work := uint64(1)
	for _, arg := range args {
		factor := uint64(2)
		switch {
		case arg.CanInt() && arg.Int() == math.MinInt64:
			return math.MaxUint64
		case arg.CanInt():
			factor += uint64(max(arg.Int(), -arg.Int()))
		case arg.Kind() == reflect.String:
			factor += uint64(arg.Len())
		default:
			factor += b.size(arg, 0)
		}
		if work > math.MaxUint64/factor {
			return math.MaxUint64
		}
		work *= factor
	}
	return work
}

// metered makes a function pay for what it will do with its arguments, before it does.
func (b *budget) metered(name string, f any) any {
	function := reflect.ValueOf(f)
	t := function.Type()
	return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		b.spend(stepWork)
		call, flat := function.Call, args
		if t.IsVariadic() {
			last := args[len(args)-1]
			call, flat = function.CallSlice, slices.Clone(args[:len(args)-1])
			for i := range last.Len() {
				flat = append(flat, last.Index(i))
			}
		}
		for _, arg := range flat {
			b.spend(b.size(arg, 0))
		}
		switch {
		case name == "uniq":
			b.spend(b.product([]reflect.Value{args[0], args[0]}))
		case multiplying.MatchString(name):
			b.spend(b.product(flat))
		}
		out := call(args)
		b.spend(b.size(out[0], 0))
		return out
	}).Interface()
}

// functions lists the functions that users' templates may call, all metered, with the
// functions of text/template that make texts.
func (b *budget) functions() template.FuncMap {
	out := templateFunctions()
	out["html"], out["js"], out["urlquery"] = template.HTMLEscaper, template.JSEscaper, template.URLQueryEscaper
	out["print"], out["println"], out["printf"] = fmt.Sprint, fmt.Sprintln, b.printf
	for name, f := range out {
		out[name] = b.metered(name, f)
	}
	out[stepFunction] = b.step
	return out
}

var (
	digits      = regexp.MustCompile(`[0-9]+`)
	addressVerb = regexp.MustCompile(`%[^%a-zA-Z]*p`)
)

// printf pays for widths, and for arguments that the format repeats. It prints no
// addresses, which differ from run to run.
func (b *budget) printf(format string, args ...any) (string, error) {
	if addressVerb.MatchString(format) {
		return "", fmt.Errorf("the format %q prints an address, which differs from run to run", format)
	}
	for _, text := range digits.FindAllString(format, -1) {
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			n = math.MaxUint32
		}
		b.spend(n)
	}
	b.spend(b.product([]reflect.Value{
		reflect.ValueOf(strings.Count(format, "%")), reflect.ValueOf(args),
	}))
	const largestWidth = 1_000_000 // of package fmt
	b.spend(uint64(strings.Count(format, "*")) * largestWidth)
	return fmt.Sprintf(format, args...), nil
}

// bounded is the text of an output.
type bounded struct{ bytes.Buffer }

func (w *bounded) Write(p []byte) (int, error) {
	if w.Len()+len(p) > maxOutputBytes {
		return 0, &limitError{"Output too large", fmt.Sprintf("The output has more than %d bytes", maxOutputBytes), 0}
	}
	return w.Buffer.Write(p)
}
