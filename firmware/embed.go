// Package firmware holds the control firmware of the engine: its sources, and
// an image for each interface generation, for those who have no compiler.
package firmware

import (
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

// Sources are the C and assembly files in src/.
//
//go:embed src
var Sources embed.FS

// Images are the prebuilt images in images/.
//
//go:embed images
var Images embed.FS

// ErrNoImage says that there is no prebuilt image of a generation.
var ErrNoImage = errors.New("no prebuilt control firmware")

// Image is the control firmware of an interface generation.
type Image struct {
	Code    []byte // program and constants, from address 0
	Symbols []byte // a line for each function: hexadecimal address and name
	Built   Built
}

// hashAt is where an image has its hash, a word of zeros while it is hashed (start.S).
const hashAt = 4

// Sign writes the image's hash into it.
func (i *Image) Sign() {
	clear(i.Code[hashAt : hashAt+4])
	sum := sha256.Sum256(i.Code)
	binary.LittleEndian.PutUint32(i.Code[hashAt:], binary.BigEndian.Uint32(sum[:]))
}

// Hash is what the control firmware says of itself: the first 32 bits of the image's SHA-256.
func (i *Image) Hash() uint32 { return binary.LittleEndian.Uint32(i.Code[hashAt:]) }

// Built says what an image was made of.
type Built struct {
	Generation string `json:"generation"`
	Compiler   string `json:"compiler"` // first line of its --version
	Inputs     string `json:"inputs"`   // SHA-256 of sources, header and flags
	Code       string `json:"code"`     // SHA-256 of the image
}

// Files are the names of an image's parts in images/.
func Files(generation string) (code, symbols, built string) {
	base := generation
	return base + ".bin", base + ".sym", base + ".json"
}

// Prebuilt is the image of a generation. It fails with ErrNoImage if there is
// none.
func Prebuilt(generation string) (*Image, error) {
	code, symbols, built := Files(generation)
	image := &Image{}
	for _, part := range []struct {
		name string
		take func([]byte) error
	}{
		{code, func(b []byte) error { image.Code = b; return nil }},
		{symbols, func(b []byte) error { image.Symbols = b; return nil }},
		{built, func(b []byte) error { return json.Unmarshal(b, &image.Built) }},
	} {
		b, err := Images.ReadFile("images/" + part.name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w for interface generation %s", ErrNoImage, generation)
		}
		if err == nil {
			err = part.take(b)
		}
		if err != nil {
			return nil, fmt.Errorf("read the prebuilt control firmware of %s: %w", generation, err)
		}
	}
	return image, nil
}
