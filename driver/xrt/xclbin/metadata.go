package xclbin

import "encoding/json"

// maxMetadata bounds sections of metadata, bytes.
const maxMetadata = 16 << 20

// Metadata is the content of a section that describes the file: EmbeddedMetadata (XML of
// the linker, with the arguments of kernels), BuildMetadata (JSON of the linker) or
// UserMetadata (see Description); nil if there is none. The error matches ErrFormat if
// there are two, or more than 16 MiB.
func (f *File) Metadata(kind Kind) ([]byte, error) { return f.whole(kind, maxMetadata) }

// Description describes the design of a finished .xclbin, as JSON in its section
// USER_METADATA. A driver compares Design with the hash of the design that it was
// generated from.
type Description struct {
	Platform   string `json:"platform"`
	Design     string `json:"design"` // SHA-256 of design.json, hexadecimal
	Generation string `json:"generation"`
	Firmware   string `json:"firmware"` // SHA-256 of the memory file, hexadecimal
	Generator  string `json:"generator"`
}

// Generator is the value of Description.Generator in files of this project.
const Generator = "cclforge"

// Describe reads a file's description. The result is false if this project has not
// written one: the file is not finished, or comes from another project, whose
// USER_METADATA may have any content.
func (f *File) Describe() (Description, bool, error) {
	b, err := f.Metadata(UserMetadata)
	if err != nil {
		return Description{}, false, err
	}
	var d Description
	if json.Unmarshal(b, &d) != nil || d.Generator != Generator {
		return Description{}, false, nil
	}
	return d, true, nil
}
