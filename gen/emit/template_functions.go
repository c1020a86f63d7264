package emit

import (
	"reflect"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
)

// allowed are the functions of sprig that templates may call: those whose result
// depends on their arguments only. Left out are clocks, the environment, random
// numbers, keys and certificates, lists in the random order of maps, and what changes
// its argument, because a value that holds itself has no end.
const allowed = `
	abbrev abbrevboth camelcase cat contains hasPrefix hasSuffix indent initials join kebabcase lower nindent
	nospace plural quote repeat replace snakecase sortAlpha split splitList splitn squote substr swapcase title
	toString toStrings trim trimAll trimPrefix trimSuffix trunc untitle upper wrap wrapWith

	add add1 add1f addf atoi ceil div divf float64 floor int int64 max maxf min minf mod mul mulf round seq sub subf
	until untilStep

	coalesce default empty fail ternary

	deepEqual kindIs kindOf typeIs typeIsLike typeOf

	append chunk concat first has initial last list prepend push rest reverse slice tuple uniq without
	dict dig get hasKey omit pick pluck

	fromJson mustFromJson mustToJson mustToPrettyJson mustToRawJson toJson toPrettyJson toRawJson
	adler32sum b32dec b32enc b64dec b64enc sha1sum sha256sum sha512sum

	mustRegexFind mustRegexFindAll mustRegexMatch mustRegexReplaceAll mustRegexReplaceAllLiteral mustRegexSplit
	regexFind regexFindAll regexMatch regexQuoteMeta regexReplaceAll regexReplaceAllLiteral regexSplit

	base clean dir duration ext isAbs semver semverCompare urlJoin urlParse
`

// templateFunctions are what templates may call beside the functions of text/template.
func templateFunctions() template.FuncMap {
	all, out := sprig.HermeticTxtFuncMap(), template.FuncMap{}
	for name := range strings.FieldsSeq(allowed) {
		out[name] = all[name]
	}
	out["empty"], out["default"], out["coalesce"] = empty, otherwise, coalesce
	return out
}

// empty is sprig's function, but numbers and truth values are never empty: TDEST 0 is
// a TDEST.
func empty(value any) bool {
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.String, reflect.Slice, reflect.Array, reflect.Map:
		return v.Len() == 0
	case reflect.Pointer:
		return v.IsNil()
	default:
		return false
	}
}

// otherwise is sprig's default.
func otherwise(standard any, given ...any) any {
	if len(given) == 0 || empty(given[0]) {
		return standard
	}
	return given[0]
}

// coalesce is the first value that is not empty.
func coalesce(values ...any) any {
	for _, v := range values {
		if !empty(v) {
			return v
		}
	}
	return nil
}
