package program

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// NetMissing says what this machine lacks, "" if nothing.
func NetMissing() string {
	var lacks []string
	if os.Geteuid() != 0 {
		lacks = append(lacks, "root")
	}
	for _, tool := range []string{"ip", "nft"} {
		if _, err := exec.LookPath(tool); err != nil {
			lacks = append(lacks, "the tool "+tool)
		}
	}
	return strings.Join(lacks, ", ")
}

// Net is namespaces on a network of their own.
type Net struct {
	prefix string // of their names
	subnet byte
	second byte
	names  []string // first that of the bridge
}

// ErrUnsupported says that the system does not allow namespaces, or lacks a kind of
// device or filter that they need.
var ErrUnsupported = errors.New("network namespaces are not supported here")

// Networks are 198.18.0.0/24 to 198.19.255.0/24, which are set aside for tests.
const networks = 512

var made atomic.Int32 // by this process

// NewNet makes n namespaces. Close removes them; those of processes that have ended
// without it are removed by the next NewNet.
func NewNet(n int) (*Net, error) {
	if err := removeStale(); err != nil {
		return nil, err
	}
	net := &Net{prefix: fmt.Sprintf("%s%d-%d-", mark, os.Getpid(), made.Add(1))}
	if err := net.build(n); err != nil {
		return nil, errors.Join(fmt.Errorf("make %d network namespaces: %w", n, err), net.Close())
	}
	return net, nil
}

func (n *Net) build(count int) error {
	hub, err := n.add("hub")
	if err != nil {
		return err
	}
	if err := n.takeNetwork(hub); err != nil {
		return err
	}
	if err := ip("-n", hub, "link", "add", "bridge", "type", "bridge"); err != nil {
		return err
	}
	steps := [][]string{{"-n", hub, "link", "set", "dev", "bridge", "up"}, {"-n", hub, "link", "set", "dev", "up",
		"master", "bridge", "up"}}
	for i := range count {
		name, err := n.add(strconv.Itoa(i))
		if err != nil {
			return err
		}
		port := fmt.Sprintf("port%d", i)
		steps = append(steps,
			[]string{"link", "add", "eth0", "netns", name, "type", "veth", "peer", "name", port, "netns", hub},
			[]string{"-n", hub, "link", "set", port, "master", "bridge", "up"},
			[]string{"-n", name, "address", "add", n.Address(i).String() + "/24", "dev", "eth0"},
			[]string{"-n", name, "link", "set", "lo", "up"},
			[]string{"-n", name, "link", "set", "eth0", "up"})
	}
	for _, args := range steps {
		if err := ip(args...); err != nil {
			return err
		}
	}
	return nil
}

// add makes a namespace.
func (n *Net) add(name string) (string, error) {
	name = n.prefix + name
	if err := ip("netns", "add", name); err != nil {
		return "", err
	}
	n.names = append(n.names, name)
	return name, nil
}

// takeNetwork connects the caller's namespace by a device whose name says which of
// the networks is taken.
func (n *Net) takeNetwork(hub string) error {
	var err error
	for k := range networks {
		number := (os.Getpid() + k) % networks
		device := fmt.Sprintf("ccl%d", number)
		if err = ip("link", "add", device, "type", "veth", "peer", "name", "up", "netns", hub); err != nil {
			if errors.Is(err, errExists) {
				continue
			}
			return err
		}
		n.second, n.subnet = 18+byte(number/256), byte(number%256)
		if err := ip("address", "add", n.Caller().String()+"/24", "dev", device); err != nil {
			return err
		}
		return ip("link", "set", device, "up")
	}
	return fmt.Errorf("all %d networks are taken: %w", networks, err)
}

func (n *Net) at(host byte) netip.Addr {
	return netip.AddrFrom4([4]byte{198, n.second, n.subnet, host})
}

// Caller is the address of the caller's namespace on the network.
func (n *Net) Caller() netip.Addr { return n.at(1) }

// Address is that of a namespace.
func (n *Net) Address(i int) netip.Addr { return n.at(byte(10 + i)) }

// Command is a command as it is run in a namespace.
func (n *Net) Command(i int, command ...string) []string {
	return append([]string{"ip", "netns", "exec", n.names[1+i]}, command...)
}

// Lose has a namespace lose so many of 100 packets, at random, that come in for
// ports, or from such ports of others, of the protocol "udp" or "tcp". It replaces
// what was said before.
func (n *Net) Lose(i int, protocol string, ports []uint16, percent int) error {
	if err := n.Keep(i); err != nil {
		return err
	}
	var list []string
	for _, p := range ports {
		list = append(list, strconv.Itoa(int(p)))
	}
	of, some := strings.Join(list, ", "), fmt.Sprintf("numgen random mod 100 < %d", percent)
	if percent >= 100 {
		some = ""
	}
	rules := fmt.Sprintf("table inet %s {\n chain in {\n type filter hook input priority 0; policy accept;\n", table)
	for _, way := range []string{"dport", "sport"} {
		rules += fmt.Sprintf(" %s %s { %s } %s counter drop\n", protocol, way, of, some)
	}
	return run(rules+" }\n}\n", n.Command(i, "nft", "-f", "-")...)
}

// Keep ends losses; they are counted anew afterwards.
func (n *Net) Keep(i int) error {
	return run(fmt.Sprintf("table inet %s\ndelete table inet %[1]s\n", table), n.Command(i, "nft", "-f", "-")...)
}

var counted = regexp.MustCompile(`counter packets (\d+)`)

// Lost counts the packets that a namespace has lost since Lose.
func (n *Net) Lost(i int) (int, error) {
	c := n.Command(i, "nft", "list", "table", "inet", table)
	out, err := exec.Command(c[0], c[1:]...).CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%s: %w: %s", strings.Join(c, " "), err, bytes.TrimSpace(out))
	}
	sum := 0
	for _, match := range counted.FindAllSubmatch(out, -1) {
		packets, err := strconv.Atoi(string(match[1]))
		if err != nil {
			return 0, err
		}
		sum += packets
	}
	return sum, nil
}

// Close removes the namespaces, whose processes should have ended.
func (n *Net) Close() error {
	var errs []error
	for _, name := range n.names {
		errs = append(errs, ip("netns", "delete", name))
	}
	n.names = nil
	return errors.Join(errs...)
}

const (
	mark  = "cclforge-" // begins the names of namespaces
	table = "cclforge"
)

// removeStale removes namespaces of processes that have ended.
func removeStale() error {
	out, err := exec.Command("ip", "netns", "list").Output()
	if err != nil {
		return fmt.Errorf("ip netns list: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		rest, ours := strings.CutPrefix(name, mark)
		owner, _, _ := strings.Cut(rest, "-")
		pid, err := strconv.Atoi(owner)
		if !ours || err != nil || !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			continue
		}
		if err := ip("netns", "delete", name); err != nil && !errors.Is(err, errNone) {
			return err
		}
	}
	return nil
}

var (
	errExists = errors.New("exists")
	errNone   = errors.New("does not exist")
)

func ip(args ...string) error { return run("", append([]string{"ip"}, args...)...) }

// run runs a command; the error has what it said.
func run(input string, command ...string) error {
	c := exec.Command(command[0], command[1:]...)
	c.Stdin = strings.NewReader(input)
	out, err := c.CombinedOutput()
	if err == nil {
		return nil
	}
	text := string(bytes.TrimSpace(out))
	err = fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, text)
	for _, known := range []struct {
		text string
		err  error
	}{
		{"File exists", errExists}, {"No such file", errNone},
		{"Operation not permitted", ErrUnsupported}, {"Operation not supported", ErrUnsupported},
		{"Unknown device type", ErrUnsupported},
		{"Permission denied", ErrUnsupported},
	} {
		if strings.Contains(text, known.text) {
			return fmt.Errorf("%w: %w", known.err, err)
		}
	}
	return err
}
