package emit

import (
	"maps"
	"regexp"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// needs is what the firmware of each interface did before it ran an operation, as its own table said, and where it
// finds operands and results.
var needs = map[string]string{
	"config": "0", "copy": "ELEMENTS STREAM", "combine": "ELEMENTS OP1 FUNCTION STREAM",
	"send": "ELEMENTS COMM STREAM", "recv": "ELEMENTS OP1 COMM STREAM",
	"bcast":     "ELEMENTS COMM COLLECTIVE ROOT IN_PLACE",
	"scatter":   "ELEMENTS COMM COLLECTIVE ROOT OPERAND_OF_ALL OPERAND_AT_ROOT",
	"gather":    "ELEMENTS COMM COLLECTIVE ROOT RESULT_OF_ALL RESULT_AT_ROOT",
	"reduce":    "ELEMENTS COMM FUNCTION COLLECTIVE STREAM ROOT RESULT_AT_ROOT",
	"allgather": "ELEMENTS COMM COLLECTIVE RESULT_OF_ALL", "allreduce": "ELEMENTS COMM FUNCTION COLLECTIVE STREAM",
	"reduce_scatter": "ELEMENTS COMM FUNCTION COLLECTIVE OPERAND_OF_ALL",
	"alltoall":       "ELEMENTS COMM COLLECTIVE OPERAND_OF_ALL RESULT_OF_ALL",
	"scan":           "ELEMENTS COMM FUNCTION COLLECTIVE STREAM", "exscan": "ELEMENTS COMM FUNCTION COLLECTIVE",
	"barrier": "COMM COLLECTIVE", "ext_stream_krnl": "ELEMENTS STREAM",
}

var operationLine = regexp.MustCompile(`^    X\((\w+), CCLO_OPERATION_(\w+), (.*)\)(?: \\)?$`)

// TestFirmwareKnowsOperations: the header lists each operation that runs as a task, with what it needs.
func TestFirmwareKnowsOperations(t *testing.T) {
	for platform, lacks := range map[string][]string{
		"u280_manual": {"barrier", "alltoall", "scan", "exscan"}, "u280_2022": {"ext_stream_krnl", "scan", "exscan"},
		"u55c_tcp": {"ext_stream_krnl"},
	} {
		want := map[string]string{}
		maps.Copy(want, needs)
		for _, name := range lacks {
			delete(want, name)
		}
		got := map[string]string{}
		for line := range strings.SplitSeq(string(codeFiles(t, codeDesign(t, platform))["cclo_abi.h"]), "\n") {
			m := operationLine.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			assert.Check(t, strings.ToLower(m[2]) == m[1], "%s has the code of %s", m[1], m[2])
			got[m[1]] = strings.ReplaceAll(strings.ReplaceAll(m[3], "CCLO_SHAPE_", ""), " | ", " ")
		}
		assert.Check(t, is.DeepEqual(want, got), "%s: -wanted +rendered", platform)
	}
}
