package accl

import (
	"errors"
	"os"
	"testing"
)

func TestLaunched(t *testing.T) {
	for _, l := range launchers {
		for _, name := range []string{l.rank, l.size} {
			t.Setenv(name, "") // restores it afterwards
			if err := os.Unsetenv(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	if rank, size, err := Launched(); rank != 0 || size != 1 || err != nil {
		t.Errorf("without a launcher: rank %d of %d, %v", rank, size, err)
	}
	for _, test := range []struct {
		rankName, rank, sizeName, size string
		wantRank, wantSize             int
	}{
		{"OMPI_COMM_WORLD_RANK", "3", "OMPI_COMM_WORLD_SIZE", "4", 3, 4},
		{"PMI_RANK", "0", "PMI_SIZE", "1", 0, 1},
		{"SLURM_PROCID", "7", "SLURM_NTASKS", "64", 7, 64},
		{"PMI_RANK", "4", "PMI_SIZE", "4", 0, 0},
		{"PMI_RANK", "-1", "PMI_SIZE", "4", 0, 0},
		{"PMI_RANK", "one", "PMI_SIZE", "4", 0, 0},
		{"SLURM_PROCID", "0", "SLURM_NTASKS", "", 0, 0},
	} {
		t.Run(test.rankName+"="+test.rank, func(t *testing.T) {
			t.Setenv(test.rankName, test.rank)
			t.Setenv(test.sizeName, test.size)
			rank, size, err := Launched()
			if rank != test.wantRank || size != test.wantSize || errors.Is(err, ErrRank) != (test.wantSize == 0) {
				t.Errorf("rank %d of %d, %v", rank, size, err)
			}
		})
	}
}
