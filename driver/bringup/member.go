package bringup

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/driver/accl"
)

// Member describes a rank to the others. Fields that are zero on all ranks are not
// compared.
type Member struct {
	// Rank, and Address, which is that of the process as rank 0 sees it, are filled in by
	// Join.
	Rank    int
	Address string

	// Engine is the network address of the engine, for accl.Open. Either all ranks give one,
	// all different, or none does.
	Engine accl.Rank
	// Sessions, if not empty, has for each rank the session that it uses to reach this one,
	// in place of Engine.Session.
	Sessions []uint32 `json:",omitempty"`

	// These must be the same on all ranks. Leave Platform and Hash empty to let different
	// platforms meet.
	Generation string // interface version
	Stack      string // network stack
	Platform   string // name
	Hash       string // of the whole Platform value
	// HardwareID is the hardware id word of the engine; ranks may differ in bits that are 0
	// in HardwareMask.
	HardwareID, HardwareMask uint32

	// Data is data of the program for the other ranks.
	Data []byte `json:",omitempty"`
	// Refuses, if not empty, is why the rank takes no part: the error of all ranks then.
	Refuses string `json:",omitempty"`
}

// Describe returns the Member of an engine of a platform, with the SHA-256 of the
// platform's value. Replace HardwareID by the engine's own if the program reads it, and
// Stack if it uses accl.WithProtocol.
func Describe(p *accl.Platform, engine accl.Rank) Member {
	m := Member{
		Engine: engine, Generation: p.Generation, Stack: p.Stack, Platform: p.Name,
		HardwareID: p.HardwareID.Value, HardwareMask: p.HardwareID.Mask,
	}
	if text, err := json.Marshal(p); err == nil { // a platform is numbers and texts
		sum := sha256.Sum256(text)
		m.Hash = hex.EncodeToString(sum[:])
	}
	return m
}

// Bounds of a Member.
const (
	maxName   = 256               // bytes
	maxMember = maxPayload - 1024 // bytes; the rest is for what Join fills in
)

// encode checks a member of a world and makes it a payload.
func (m *Member) encode(size int) ([]byte, error) {
	if err := m.check(size); err != nil {
		return nil, err
	}
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	if len(text) > maxMember {
		return nil, fmt.Errorf("the description of the rank takes %d bytes, more than %d", len(text), maxMember)
	}
	return text, nil
}

func decodeMember(text []byte, size int) (Member, error) {
	var m Member
	if err := unmarshal(text, &m); err != nil {
		return Member{}, err
	}
	return m, m.check(size)
}

func (m *Member) check(size int) error {
	if a := m.Engine.IP; a.IsValid() && !a.Unmap().Is4() {
		return fmt.Errorf("the engine's address %v is not of IPv4", a)
	}
	if n := len(m.Sessions); n != 0 && n != size {
		return fmt.Errorf("there are %d sessions for %d ranks", n, size)
	}
	for _, name := range []string{m.Generation, m.Stack, m.Platform, m.Hash} {
		if len(name) > maxName || clean(name) != name {
			return fmt.Errorf("the name %.40q is longer than %d bytes, or no plain text", name, maxName)
		}
	}
	return nil
}

// platform is name and hash as people can compare them.
func (m *Member) platform() string {
	if m.Hash == "" {
		return m.Platform
	}
	return fmt.Sprintf("%s (hash %.16s)", m.Platform, m.Hash)
}

func (m *Member) hardware() string {
	if m.HardwareMask == 0 {
		return ""
	}
	return fmt.Sprintf("0x%08X under the mask 0x%08X", m.HardwareID&m.HardwareMask, m.HardwareMask)
}

// fit returns the first difference between ranks that must agree, nil if there is none.
func fit(members []Member) *Error {
	for i, m := range members {
		if m.Refuses != "" {
			return &Error{ErrNotReady, StepJoin, i, m.Address, "it takes no part: " + m.Refuses}
		}
	}
	for _, part := range []struct {
		what string
		of   func(*Member) string
	}{
		{"interface generations", func(m *Member) string { return m.Generation }},
		{"network stacks", func(m *Member) string { return m.Stack }},
		{"platforms", (*Member).platform},
		{"platforms", func(m *Member) string { return m.Platform + m.Hash }},
		{"hardware ids", (*Member).hardware},
	} {
		if e := same(members, part.what, part.of); e != nil {
			return e
		}
	}
	seen := map[netip.AddrPort]int{}
	for i := range members {
		at := members[i].Engine
		if at.IP.IsValid() != members[0].Engine.IP.IsValid() {
			return same(members, "engines", func(m *Member) string {
				if m.Engine.IP.IsValid() {
					return "an address"
				}
				return "no address"
			})
		}
		if !at.IP.IsValid() {
			continue
		}
		place := netip.AddrPortFrom(at.IP.Unmap(), at.Port)
		if j, twice := seen[place]; twice {
			return &Error{ErrDiffers, StepJoin, i, members[i].Address,
				fmt.Sprintf("engines do not fit together: those of %s are both %v", list([]int{j, i}), place)}
		}
		seen[place] = i
	}
	return nil
}

// same returns an error that lists the values of ranks, if not all are equal.
func same(members []Member, what string, of func(*Member) string) *Error {
	groups := map[string][]int{}
	for i := range members {
		groups[of(&members[i])] = append(groups[of(&members[i])], i)
	}
	if len(groups) == 1 {
		return nil
	}
	values := make([]string, 0, len(groups))
	for v := range groups {
		values = append(values, v)
	}
	// What most have comes first; the first rank that has something else is named.
	slices.SortFunc(values, func(a, b string) int {
		if n := len(groups[b]) - len(groups[a]); n != 0 {
			return n
		}
		return groups[a][0] - groups[b][0]
	})
	var parts []string
	for i, v := range values {
		if i == 4 {
			parts = append(parts, fmt.Sprintf("%d others", len(values)-i))
			break
		}
		name := v
		name = cmp.Or(name, "none")
		parts = append(parts, fmt.Sprintf("%s on %s", name, list(groups[v])))
	}
	odd := groups[values[1]][0]
	return &Error{ErrDiffers, StepJoin, odd, members[odd].Address,
		fmt.Sprintf("%s differ: %s", what, strings.Join(parts, "; "))}
}
