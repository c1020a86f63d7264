package plan

import (
	"errors"

	"github.com/cclforge/cclforge/gen/design"
)

// shell plans a platform inside somebody else's shell.
func (p *planner) shell() error {
	return errors.New("RDMA platforms cannot be built yet")
}

// shellTools are what that takes.
func shellTools(*design.Design) []string { return []string{"vivado", "git", "make", "cmake"} }
