// SPDX-License-Identifier: Apache-2.0

package skill

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
)

// ActivateOptions are the choices of [Skill.Activate]. A nil pointer means the zero value.
type ActivateOptions struct {
	// MaxBytes is the largest SKILL.md that is read; zero means the limit that the skill
	// was loaded with.
	MaxBytes int64
	// MaxFiles is how many bundled files are listed; zero means [MaxFiles], a negative
	// number none.
	MaxFiles int
}

// An Activation is a skill's content at one moment.
type Activation struct {
	// Skill is the skill as it was just read; flags and description are of now.
	Skill *Skill
	// Body is everything after the frontmatter, with "\n" line breaks.
	Body string
	// Files, FilesTotal and FilesTruncated are the bundled files (ACT-3), see [FileList].
	Files          []string
	FilesTotal     int
	FilesTruncated bool
	// Hash is "sha256:" and the digest of the file's bytes, by which unchanged content is
	// recognised (ACT-5).
	Hash string
	// Origin says where the content comes from when that is not this machine, such as an
	// MCP server and its address; Base is the address of the skill's directory there. Both
	// are empty for a skill of the disk. [Activation.Wrap] marks the content with them
	// (MCP-6).
	Origin, Base string
}

// Activate reads the skill's body from disk now (ACT-2), and the names of its bundled files,
// but not their content (ACT-3). The file must still be a loadable skill of the same name;
// if it is not, the error is a [*LoadError] and whoever lists this skill should look again.
// The result is not affected by later changes on disk.
func (s *Skill) Activate(ctx context.Context, opts *ActivateOptions) (*Activation, error) {
	if opts == nil {
		opts = new(ActivateOptions)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	src, err := s.ReadSource(opts.MaxBytes)
	if err != nil {
		return nil, err
	}
	dirName := ""
	if s.Frontmatter.Name == "" {
		dirName = s.Name
	}
	doc := Parse(src, &ParseOptions{File: s.File, Dir: dirName, load: true})
	if !doc.Usable() {
		return nil, &LoadError{File: s.shownFile(), Findings: doc.Findings}
	}
	name := doc.Frontmatter.Name
	if name == "" {
		name = dirName
	}
	if name != s.Name {
		return nil, skip("ACT-2", s.shownFile(), nil, "the skill is now called %q, not %q; list the skills again", Sanitize(name), Sanitize(s.Name))
	}
	now := *s
	now.Description, now.Frontmatter, now.Findings = doc.Frontmatter.Description, doc.Frontmatter, lenient(doc.Findings)
	sum := sha256.Sum256(src)
	a := &Activation{Skill: &now, Body: doc.Body, Hash: "sha256:" + hex.EncodeToString(sum[:])}
	if opts.MaxFiles >= 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if l, err := s.Files(opts.MaxFiles); err == nil {
			a.Files, a.FilesTotal, a.FilesTruncated = l.Files, l.Total, l.Truncated
		}
	}
	return a, nil
}

// ReadSource returns the bytes of the defining file as they are now, at most limit of them
// (zero means the limit that the skill was loaded with; a larger file is an error). It
// takes the same care as the loader: under the root the skill was found in, without
// waiting, regular, and not through a link that has taken the file's place.
func (s *Skill) ReadSource(limit int64) ([]byte, error) {
	if limit <= 0 {
		limit = s.maxFile
	}
	fail := func(err error) error {
		return skip("ACT-2", s.shownFile(), err, "cannot read the skill: %s", reason(err))
	}
	if s.fsys != nil {
		f, err := s.fsys.Open(s.path)
		if err != nil {
			return nil, fail(err)
		}
		defer f.Close()
		b, err := readRegular(f, s.path, limit)
		if err != nil {
			return nil, fail(err)
		}
		return b, nil
	}
	root, err := s.openRoot(filepath.Dir(s.File))
	if err != nil {
		return nil, fail(err)
	}
	defer root.Close()
	f, err := root.OpenFile(filepath.Base(s.File), openFlags, 0)
	if err != nil {
		return nil, fail(err)
	}
	defer f.Close()
	b, err := readRegular(f, s.File, limit)
	if err != nil {
		return nil, fail(err)
	}
	return b, nil
}

func (s *Skill) shownFile() string {
	if s.File != "" {
		return s.File
	}
	return s.Name
}
