package slurm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/vitis/run/slurm"
)

func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := slurm.New(context.Background(), slurm.Options{})
	if !errors.Is(err, slurm.ErrMissing) || !strings.Contains(err.Error(), "sbatch") ||
		!strings.Contains(err.Error(), "slurm-client") {
		t.Errorf("the error is %v", err)
	}
}

// Times are as in sbatch(1), "--time": days-hours:minutes:seconds, and never less
// than what was asked for.
func TestLimit(t *testing.T) {
	for d, want := range map[time.Duration]string{
		1:                            "0-00:01:00",
		time.Minute:                  "0-00:01:00",
		time.Minute + time.Second:    "0-00:02:00",
		59*time.Minute + time.Second: "0-01:00:00",
		24 * time.Hour:               "1-00:00:00",
		100*time.Hour + time.Minute:  "4-04:01:00",
	} {
		got := slurm.Limit(d)
		assert.Check(t, got == want, "%s is %s, and should be %s", d, got, want)
	}
}

// Reasons are those of squeue(1), "JOB REASON CODES".
func TestWords(t *testing.T) {
	for reason, want := range map[string]string{
		"None":                   "Slurm has not looked at it yet",
		"Resources":              "all fitting nodes are busy (Resources)",
		"Priority":               "other jobs come first (Priority)",
		"AssocGrpCpuLimit":       "the account's limit is reached (AssocGrpCpuLimit)",
		"QOSMaxJobsPerUserLimit": "the limit of its QOS is reached (QOSMaxJobsPerUserLimit)",
		"PartitionTimeLimit": "it wants more time than the partition allows, and never begins " +
			"(PartitionTimeLimit)",
		"MaxJobsPerAccount":  "a limit is reached (MaxJobsPerAccount)",
		"BurstBufferStageIn": "Slurm says BurstBufferStageIn",
		"ReqNodeNotAvail, UnavailableNodes:n1": "nodes that it needs are down, drained or reserved (ReqNodeNotAvail, " +
			"UnavailableNodes:n1)",
	} {
		assert.Check(t, is.Equal(slurm.Words(reason), want), "%s", reason)
	}
}
