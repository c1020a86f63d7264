package bringup

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// version is that of the protocol. One that differs is found before anything else is
// said.
const version = 3

// The four messages of a proof, of fixed length:
//
//	hello      to rank 0  magic, version, nonce
//	challenge  back       magic, version, nonce
//	proof      to rank 0  rank, number of ranks, MAC
//	answer     back       1 and a MAC, or 0 and zeros
const (
	helloMagic     = "CCLMEET?"
	challengeMagic = "CCLMEET!"
	nonceBytes     = 32
	greetingBytes  = 8 + 2 + nonceBytes
	claimBytes     = 8
	proofBytes     = claimBytes + macBytes
	answerBytes    = 1 + macBytes
)

var (
	errRubbish = errors.New("what came is not of this protocol")
	errWrong   = errors.New("the proof is wrong")
)

// versionError is the version of the other side.
type versionError uint16

func (v versionError) Error() string {
	return fmt.Sprintf("version %d of the protocol, not %d", uint16(v), version)
}

// jobKey is the key of a job, from its secret and name.
func jobKey(secret []byte, job string) []byte {
	return sum(secret, "cclforge bring-up", []byte(job))
}

// sum is a MAC of parts, of which the first says what it is for.
func sum(key []byte, what string, parts ...[]byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(append([]byte(what), 0))
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

// keys are those of a connection, once both have proved that they know that of the job.
type keys struct{ toRank0, fromRank0 []byte }

func sessionKeys(key, transcript []byte) keys {
	return keys{sum(key, "frames to rank 0", transcript), sum(key, "frames from rank 0", transcript)}
}

// greeting ends in a newline, so that servers of other protocols, which read lines, answer it.
func greeting(magic string) []byte {
	g := make([]byte, greetingBytes)
	copy(g, magic)
	binary.BigEndian.PutUint16(g[8:], version)
	rand.Read(g[10:]) // never fails
	g[greetingBytes-1] = '\n'
	return g
}

// readGreeting reads one up to its end, or to what tells that it is none: those who speak another protocol may send
// less, and wait. The greeting of another version comes with the error.
func readGreeting(c io.Reader, magic string) ([]byte, error) {
	g := make([]byte, greetingBytes)
	for n := 0; n < len(g); {
		k, err := c.Read(g[n:])
		n += k
		if same := min(n, len(magic)); string(g[:same]) != magic[:same] {
			return nil, fmt.Errorf("%w: %q", errRubbish, g[:n])
		}
		if err != nil && n < len(g) {
			return nil, err
		}
	}
	if v := binary.BigEndian.Uint16(g[8:]); v != version {
		return g, versionError(v)
	}
	return g, nil
}

// prover is the side of a rank other than 0.
type prover struct {
	key        []byte
	rank, size int
	transcript []byte
}

// claim says who is there and hears the challenge.
func (p *prover) claim(c io.ReadWriter) error {
	hello := greeting(helloMagic)
	if _, err := c.Write(hello); err != nil {
		return err
	}
	challenge, err := readGreeting(c, challengeMagic)
	if err != nil {
		return err
	}
	claim := make([]byte, claimBytes)
	binary.BigEndian.PutUint32(claim, uint32(p.rank))
	binary.BigEndian.PutUint32(claim[4:], uint32(p.size))
	p.transcript = append(append(hello, challenge...), claim...)
	_, err = c.Write(append(claim, sum(p.key, "I am a rank", p.transcript)...))
	return err
}

// hear hears whether the proof was right, and that of rank 0.
func (p *prover) hear(c io.Reader) (keys, error) {
	answer := make([]byte, answerBytes)
	if _, err := io.ReadFull(c, answer); err != nil {
		return keys{}, err
	}
	if answer[0] != 1 || !hmac.Equal(answer[1:], sum(p.key, "I am rank 0", p.transcript)) {
		return keys{}, errWrong
	}
	return sessionKeys(p.key, p.transcript), nil
}

// verify is the side of rank 0, up to the answer, which says who it was.
func verify(c io.ReadWriter, key []byte) (rank, size uint32, k keys, answer []byte, err error) {
	fail := func(err error) (uint32, uint32, keys, []byte, error) { return 0, 0, keys{}, nil, err }
	hello, unlike := readGreeting(c, helloMagic)
	if hello == nil {
		return fail(unlike)
	}
	challenge := greeting(challengeMagic)
	if _, err := c.Write(challenge); err != nil {
		return fail(err)
	}
	if unlike != nil {
		return fail(unlike) // the other side has seen it, too
	}
	proof := make([]byte, proofBytes)
	if _, err := io.ReadFull(c, proof); err != nil {
		return fail(err)
	}
	claim := proof[:claimBytes]
	transcript := append(append(hello, challenge...), claim...)
	if !hmac.Equal(proof[claimBytes:], sum(key, "I am a rank", transcript)) {
		return fail(errWrong) // and zeros are the answer
	}
	answer = append([]byte{1}, sum(key, "I am rank 0", transcript)...)
	return binary.BigEndian.Uint32(claim), binary.BigEndian.Uint32(claim[4:]), sessionKeys(key, transcript), answer, nil
}
