package lint

import (
	"slices"
	"strings"
)

// documented are the members of the vendor's classes that its user guide (UG1399)
// documents.
var documented = strings.Fields(`
	and_reduce b_not clear concat invert length lrotate nand_reduce nor_reduce or_reduce range reverse rrotate set sign test
	to_bool to_char to_double to_float to_int to_int64 to_long to_short to_uchar to_uint to_uint64 to_ulong to_ushort to_string
	xnor_reduce xor_reduce
	empty full read read_nb size capacity write write_nb
	data dest id keep last strb user
	get_data get_dest get_id get_keep get_last get_strb get_user set_data set_dest set_id set_keep set_last set_strb set_user`)

// vendorNames are the vendor's names that are documented, and those below hls::.
var (
	vendorNames = strings.Fields(`ap_axis ap_axiu ap_int ap_uint ap_wait`)
	inHLS       = []string{"stream"}
)

// software has no hardware: memory that comes and goes, exceptions, types that are
// looked at while running, and what threads need. Benches are software.
var software = strings.Fields(`
	new delete malloc calloc realloc free alloca try catch throw typeid dynamic_cast virtual thread_local goto asm
	printf abort exit`)

// later are words and attributes of later versions of C++, and compilers' own.
var later = strings.Fields(`
	nodiscard maybe_unused fallthrough likely unlikely no_unique_address concept requires co_await co_yield co_return consteval
	constinit char8_t typeof _Float16 _BitInt`)

// ownToBench are those of software that benches, too, may not use.
var ownToBench = []string{"asm", "goto", "dynamic_cast", "typeid"}

// words checks code, token by token.
func (c *checker) words() {
	forbidden := software
	if bench(c.path) {
		forbidden = ownToBench
	}
	member := func(i int) bool { return i > 0 && (c.tokens[i-1].text == "." || c.tokens[i-1].text == "->") }
	for i, t := range c.tokens {
		if !isName(t.text) {
			continue
		}
		switch {
		case member(i):
			c.member(i)
		case slices.Contains(forbidden, t.text):
			c.report(t.line, Hardware, "%s has no hardware", t.text)
		case slices.Contains(later, t.text):
			c.report(t.line, Language, "%s is not of C++14", t.text)
		case strings.HasPrefix(t.text, "__") && t.text != "__SYNTHESIS__":
			c.report(t.line, Language, "%s is a compiler's own", t.text)
		case strings.HasPrefix(t.text, "ap_") && !slices.Contains(vendorNames, t.text):
			c.report(t.line, Members, "%s is not among the documented names that kernels use", t.text)
		case i > 1 && c.tokens[i-1].text == "::" && c.tokens[i-2].text == "hls" && !slices.Contains(inHLS, t.text):
			c.report(t.line, Members, "hls::%s is not among the documented names that kernels use", t.text)
		}
	}
}

// member checks what stands behind a point: a member of the vendor's, or of a class
// among the files. Benches have those of the language's library as well.
func (c *checker) member(i int) {
	name := c.tokens[i].text
	if slices.Contains(documented, name) || c.set.members[name] || bench(c.path) && slices.Contains(libraryMembers, name) {
		return
	}
	c.report(c.tokens[i].line, Members, "%s is no documented member, and no class here declares it", name)
}

var libraryMembers = []string{"push_back", "resize", "begin", "end", "back", "front", "clear", "insert", "assign"}
