package emit

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestCamel(t *testing.T) {
	for _, test := range []struct {
		parts []string
		want  string
	}{
		{[]string{"rx_buffers"}, "RxBuffers"},
		{[]string{"operation", "allreduce"}, "OperationAllReduce"},
		{[]string{"operation", "reduce_scatter"}, "OperationReduceScatter"},
		{[]string{"hardware_id"}, "HardwareID"},
		{[]string{"stack", "udp"}, "StackUDP"},
		{[]string{"stack", "rdma"}, "StackRDMA"},
		{[]string{"return_code", "DMA_NOT_EXPECTED_BTT"}, "ReturnCodeDMANotExpectedBTT"},
		{[]string{"return_code", "KRNL_STS_COUNT"}, "ReturnCodeKrnlStsCount"},
		{[]string{"cclo_count"}, "CCLOCount"},
		{[]string{"clock_mhz"}, "ClockMHz"},
		{[]string{"addr_0", "low", "word"}, "Addr0LowWord"},
		{[]string{"type", "float32", "bytes"}, "TypeFloat32Bytes"},
		{[]string{"remote_ip"}, "RemoteIP"},
		{[]string{"dma0_mm2s_sts"}, "Dma0Mm2sSts"},
		{[]string{"S_AXIS_sk2nl"}, "SAxisSk2nl"},
		{[]string{"BFloat16"}, "BFloat16"},
		{[]string{"my__type_"}, "MyType"},
		{[]string{"", ""}, ""},
	} {
		assert.Check(t, is.Equal(camel(test.parts...), test.want), "camel(%q)", test.parts)
	}
}

// TestCamelKeepsNamesApart: names that differ in more than underscores and
// case, which the description demands, differ in Go as well.
func TestCamelKeepsNamesApart(t *testing.T) {
	for key, word := range spelling {
		assert.Check(t, strings.ToLower(word) == key, "%s is spelt %s", key, word)
	}
	for _, name := range []string{"rx_buffers", "allreduce", "udp_ports", "nfunctions", "RETURN_CODE",
		"tdest2", "BFloat16"} {
		if got, want := strings.ToLower(camel(name)), strings.ToLower(strings.ReplaceAll(name, "_", "")); got != want {
			t.Errorf("camel(%s) has the letters %s", name, got)
		}
	}
}

func TestGuard(t *testing.T) {
	for _, test := range []struct{ file, owner, want string }{
		{"cclo_abi.h", "accl-2024", "CCLO_ABI_H_ACCL_2024"},
		{"firmware/cclo_platform.h", "u55c_tcp", "FIRMWARE_CCLO_PLATFORM_H_U55C_TCP"},
	} {
		assert.Check(t, is.Equal(guard(test.file, test.owner), test.want), "guard(%s, %s)", test.file, test.owner)
	}
}
