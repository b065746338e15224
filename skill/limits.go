// SPDX-License-Identifier: Apache-2.0

package skill

// Limits, stated in one place. [LoadOptions] and [ActivateOptions] can change those that
// are a matter of taste; the rest bound what a hostile file can cost.
const (
	// MaxFile is the largest SKILL.md in bytes that is loaded or activated (FMT-14).
	// One MiB is some 250,000 tokens, far above the advice of 5,000.
	MaxFile = 1 << 20

	// MaxHead is how many bytes at the start of a SKILL.md may hold the frontmatter
	// with both fences (DSC-7). A block that does not close within it is not usable.
	MaxHead = 64 << 10

	// MaxFiles is how many bundled files an [Activation] lists (ACT-3).
	MaxFiles = 100

	// MaxResource is the largest bundled file in bytes that [Skill.ReadFile] returns
	// when it is called without a limit of its own.
	MaxResource = 8 << 20

	// firstRead is what one read of a head asks for. Nearly every frontmatter fits, so
	// that loading costs one read; only a longer one costs more.
	firstRead = 2 << 10

	// maxDepth bounds the nesting of YAML values, so that walks over them may recurse.
	maxDepth = 64

	// maxRepairs bounds how many values of one block are quoted by FMT-13: more than a
	// handful of broken lines is not a slip but another format.
	maxRepairs = 8

	// maxRepairBlock is the largest block that is repaired. Each attempt parses the block
	// anew, which a hostile one of the full size would make slow.
	maxRepairBlock = 16 << 10

	// maxFindings is how many findings one file has at most; nobody reads more, and a
	// hostile file could have one for each of its bytes.
	maxFindings = 200

	// maxVisited and maxFileDepth bound the walk that lists bundled files.
	maxVisited   = 5000
	maxFileDepth = 8
)

// Limits of the format's fields, in code points (FMT-5, FMT-6, FMT-7).
const (
	MaxName          = 64
	MaxDescription   = 1024
	MaxCompatibility = 500
)
