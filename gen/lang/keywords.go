package lang

import "strings"

var languages = []struct {
	name  string
	words map[string]bool
}{
	{"Go", set(goWords)},
	{"C", set(cWords)},
	{"C++", set(cppWords)},
	{"SystemVerilog", set(svWords)},
}

func set(words string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		out[word] = true
	}
	return out
}

// The Go Programming Language Specification, "Keywords".
const goWords = `
break case chan const continue default defer else fallthrough for func go goto
if import interface map package range return select struct switch type var`

// ISO/IEC 9899:2024, 6.4.1, with asm, which compilers reserve by default.
const cWords = `
alignas alignof asm auto bool break case char const constexpr continue default
do double else enum extern false float for goto if inline int long nullptr
register restrict return short signed sizeof static static_assert struct switch
thread_local true typedef typeof typeof_unqual union unsigned void volatile
while _Alignas _Alignof _Atomic _BitInt _Bool _Complex _Decimal128 _Decimal32
_Decimal64 _Generic _Imaginary _Noreturn _Static_assert _Thread_local`

// ISO/IEC 14882:2020, 5.11, tables 5 and 6.
const cppWords = `
alignas alignof and and_eq asm auto bitand bitor bool break case catch char
char16_t char32_t char8_t class co_await co_return co_yield compl concept const
const_cast consteval constexpr constinit continue decltype default delete do
double dynamic_cast else enum explicit export extern false float for friend
goto if inline int long mutable namespace new noexcept not not_eq nullptr
operator or or_eq private protected public register reinterpret_cast requires
return short signed sizeof static static_assert static_cast struct switch
template this thread_local throw true try typedef typeid typename union
unsigned using virtual void volatile wchar_t while xor xor_eq`

// IEEE 1800-2017, table B.1.
const svWords = `
accept_on alias always always_comb always_ff always_latch and assert assign
assume automatic before begin bind bins binsof bit break buf bufif0 bufif1 byte
case casex casez cell chandle checker class clocking cmos config const
constraint context continue cover covergroup coverpoint cross deassign default
defparam design disable dist do edge else end endcase endchecker endclass
endclocking endconfig endfunction endgenerate endgroup endinterface endmodule
endpackage endprimitive endprogram endproperty endspecify endsequence endtable
endtask enum event eventually expect export extends extern final first_match for
force foreach forever fork forkjoin function generate genvar global highz0
highz1 if iff ifnone ignore_bins illegal_bins implements implies import incdir
include initial inout input inside instance int integer interconnect interface
intersect join join_any join_none large let liblist library local localparam
logic longint macromodule matches medium modport module nand negedge nettype new
nexttime nmos nor noshowcancelled not notif0 notif1 null or output package
packed parameter pmos posedge primitive priority program property protected
pull0 pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure rand
randc randcase randsequence rcmos real realtime ref reg reject_on release repeat
restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually
s_nexttime s_until s_until_with scalared sequence shortint shortreal showcancelled
signed small soft solve specify specparam static string strong strong0 strong1
struct super supply0 supply1 sync_accept_on sync_reject_on table tagged task this
throughout time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand
trior trireg type typedef union unique unique0 unsigned until until_with untyped
use uwire var vectored virtual void wait wait_order wand weak weak0 weak1 while
wildcard wire with within wor xnor xor`
