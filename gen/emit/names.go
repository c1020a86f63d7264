package emit

import (
	"strings"
	"unicode"
)

// spelling holds the words whose capitals are not only the first letter. Each
// differs from its key in case alone, so that names which differ in HCL also
// differ in Go.
var spelling = func() map[string]string {
	words := map[string]string{}
	for word := range strings.FieldsSeq(`
		ABI AXI BTT CCLO DDR DMA DRR DSA EOF HBM HLS HW ID IDs IP MAC MHz POE RDMA RTL SLR TCP TDEST UDP
		AddrH AddrL AllGather AllReduce AllToAll ArithCfg DMATag HostCtrl NFunctions VAddr`) {
		words[strings.ToLower(word)] = word
	}
	return words
}()

// camel writes the parts of a name as an exported Go name: rx_buffers is
// RxBuffers, DMA_TIMEOUT is DMATimeout.
func camel(parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		for word := range strings.SplitSeq(part, "_") {
			b.WriteString(capitalised(word))
		}
	}
	return b.String()
}

func capitalised(word string) string {
	if word == "" {
		return ""
	}
	if known, ok := spelling[strings.ToLower(word)]; ok {
		return known
	}
	if word == strings.ToUpper(word) {
		word = strings.ToLower(word)
	}
	letters := []rune(word)
	letters[0] = unicode.ToUpper(letters[0])
	return string(letters)
}

// upper writes the parts of a name as a macro or parameter: RX_BUFFERS.
func upper(parts ...string) string { return strings.ToUpper(strings.Join(parts, "_")) }

var separators = strings.NewReplacer("/", "_", ".", "_", "-", "_")

// guard names the include guard of a file of a platform or generation.
func guard(file, owner string) string {
	return upper(separators.Replace(file), separators.Replace(owner))
}
