// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/skillgraft/skillgraft/internal/rawjson"
)

func TestBlobsAreKeptByHashAlone(t *testing.T) {
	long, short := strings.Repeat("QUJD/+", 10), "QUJD"
	blocks := func(img, audio, blob string) string {
		return `[ {"type":"image","data":` + img + ` , "mimeType":"image/png","_meta":{"data":"` + long + `"}},` +
			` {"data":` + audio + `,"type":"audio"},{"type":"resource","resource":{"uri":"x","blob" :` + blob + `}} , ` +
			`{"type":"text","text":"` + long + `","data":"` + long + `"},{"type":"resource","resource":{"uri":"y","text":"` + long + `"}},7,"x"]`
	}
	given := blocks(`"`+long+`"`, `"`+short+`"`, `"`+long+`x"`)
	j := Open(Options{Dir: t.TempDir(), BlobLimit: 20})
	must(t, j.Append("s", Record{ID: "a", Blocks: []byte(given)}))
	kept := mustLoad(t, j, "s")[0].Blocks

	marker := func(s string, n string) string {
		return `{"skillgraft/sha256":"` + HashBytes([]byte(s)) + `","bytes":` + n + `}`
	}
	if want := blocks(marker(long, "60"), `"`+short+`"`, marker(long+"x", "61")); string(kept) != want {
		t.Errorf("kept\n%s\nwant\n%s", kept, want)
	}
	for i, el := range rawjson.Elements(kept) {
		hash, size, ok := BlobHash(el.Value)
		switch i {
		case 0:
			ok = ok && hash == HashBytes([]byte(long)) && size == 60
		case 2:
			ok = ok && hash == HashBytes([]byte(long+"x")) && size == 61
		default:
			ok = !ok
		}
		if !ok {
			t.Errorf("block %d: %q %d", i, hash, size)
		}
	}

	have := map[string]string{HashBytes([]byte(long)): long}
	get := func(hash string) ([]byte, bool) { s, ok := have[hash]; return []byte(s), ok }
	before := bytes.Clone(kept)
	filled, missing := Unblob(kept, get)
	if want := blocks(`"`+long+`"`, `"`+short+`"`, marker(long+"x", "61")); string(filled) != want || missing != 1 {
		t.Errorf("filled (%d missing)\n%s\nwant\n%s", missing, filled, want)
	}
	have[HashBytes([]byte(long+"x"))] = long + "x"
	filled, missing = Unblob(kept, get)
	if string(filled) != given || missing != 0 {
		t.Errorf("filled (%d missing)\n%s\nwant\n%s", missing, filled, given)
	}
	if !bytes.Equal(before, kept) {
		t.Error("Unblob changed its argument")
	}

	// A second append of what was loaded, as a fork does, keeps the marks.
	must(t, j.Fork("s", "t"))
	if got := mustLoad(t, j, "t")[0].Blocks; !bytes.Equal(got, kept) {
		t.Errorf("forked: %s", got)
	}
}

func TestBlobHashTakesNothingElseForAMark(t *testing.T) {
	h := strings.Repeat("0", 64)
	for _, block := range []string{
		`{"type":"image","data":{}}`, `{"type":"image"}`, `{}`, `7`, `null`,
		`{"type":"image","data":{"skillgraft/sha256":"` + h + `"}}`,
		`{"type":"image","data":{"skillgraft/sha256":"` + h + `","bytes":-1}}`,
		`{"type":"image","data":{"skillgraft/sha256":"` + h + `","bytes":"1"}}`,
		`{"type":"image","data":{"skillgraft/sha256":"` + h[1:] + `","bytes":1}}`,
		`{"type":"image","data":{"skillgraft/sha256":"` + h[1:] + `G","bytes":1}}`,
		`{"type":"image","data":{"skillgraft/sha256":"` + h + `","bytes":1,"more":1}}`,
		`{"type":"text","data":{"skillgraft/sha256":"` + h + `","bytes":1}}`,
		`{"type":"resource","resource":"x"}`,
	} {
		if hash, _, ok := BlobHash([]byte(block)); ok {
			t.Errorf("%s: %s", block, hash)
		}
	}
}

// Whatever the blocks are, Unblob undoes what the limit did: byte for byte,
// unless a value was written with escapes that it did not need.
func TestRapidBlobsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(
			rapid.StringMatching(`[A-Za-z0-9+/]{0,60}={0,2}`),
			rapid.StringMatching(`[ -~]{0,40}`),
			rapid.String(),
		)
		store := map[string][]byte{}
		var b strings.Builder
		b.WriteByte('[')
		for i := range rapid.IntRange(0, 6).Draw(t, "blocks") {
			if i > 0 {
				b.WriteString(rapid.SampledFrom([]string{",", " ,", ", \t"}).Draw(t, "comma"))
			}
			s := value.Draw(t, "value")
			store[HashBytes([]byte(s))] = []byte(s)
			q := string(rawjson.Quote(s))
			b.WriteString(strings.ReplaceAll(rapid.SampledFrom([]string{
				`{"type":"image","data":V}`, `{"data": V ,"type":"audio"}`, `{"type":"resource","resource":{"blob":V}}`,
				`{"type":"text","text":V}`, `{"type":"image","data":7}`, `{"type":"image","data":"x","data":V}`, `V`, `[V]`, `null`,
			}).Draw(t, "block"), "V", q))
		}
		b.WriteByte(']')
		given := b.String()

		limit := rapid.IntRange(0, 30).Draw(t, "limit")
		kept := stripBlobs([]byte(given), limit)
		if !rawjson.Valid(kept) {
			t.Fatalf("not JSON: %s", kept)
		}
		filled, missing := Unblob(kept, func(h string) ([]byte, bool) { v, ok := store[h]; return v, ok })
		if string(filled) != given || missing != 0 {
			t.Fatalf("given %s\nkept %s\nfilled %s (%d missing)", given, kept, filled, missing)
		}
	})
}
