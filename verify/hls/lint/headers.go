package lint

import (
	"path"
	"slices"
	"strings"
)

// vendorPlace is the only file that includes headers of the vendor, and these are the
// headers.
const vendorPlace = "cclo_hls.hpp"

var vendorHeaders = []string{"ap_axi_sdata.h", "ap_int.h", "ap_utils.h", "hls_stream.h"}

// freestanding are the headers of the language that need no operating system. Kernels
// of today print when they are simulated: iostream stands where synthesis does not see
// it.
var (
	freestanding = []string{"cfloat", "climits", "cstddef", "cstdint", "limits", "type_traits"}
	hosted       = []string{"algorithm", "array", "cmath", "cstdio", "cstdlib", "cstring", "vector"}
)

const onlySimulated = "if !defined(ACCL_SYNTHESIS) && !defined(__SYNTHESIS__)"

func (c *checker) include(d directive) {
	name, found := strings.CutPrefix(d.rest, "<")
	name, _, closed := strings.Cut(name, ">")
	if !found || !closed {
		c.report(d.line, Headers, "#include %s: the name of a header is expected", d.rest)
		return
	}
	if own, quoted := strings.CutPrefix(name, `"`); quoted {
		if !c.set.has(own) {
			c.report(d.line, Headers, "%q is not among the files of the platform", own)
		}
		return
	}
	switch {
	case slices.Contains(vendorHeaders, name):
		if path.Base(c.path) != vendorPlace {
			c.report(d.line, Headers, "<%s> is the vendor's; only %s includes it", name, vendorPlace)
		}
	case slices.Contains(freestanding, name), bench(c.path) && slices.Contains(hosted, name):
	case name == "iostream" && slices.Contains(d.conditions, onlySimulated):
	default:
		c.report(d.line, Headers, "<%s> is not for kernels; these are: %s", name, strings.Join(freestanding, ", "))
	}
}
