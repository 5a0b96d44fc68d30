package formats

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func zip(t testing.TB, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := io.WriteString(w, text)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

const mark = "\xef\xbb\xbf"

func TestDecode(t *testing.T) {
	const text = "0: M[0] := 1\ncheck\n"
	zipped := zip(t, text)
	long := strings.Repeat(text, 10_000)
	for _, test := range []struct{ name, in, want, err string }{
		{"empty", "", "", ""},
		{"one byte", "\x1f", "\x1f", ""},
		{"text", text, text, ""},
		{"mark", mark + text, text, ""},
		{"mark alone", mark, "", ""},
		{"half a mark", mark[:2], mark[:2], ""},
		{"one mark of two", mark + mark, mark, ""},
		{"mark within", text + mark, text + mark, ""},
		{"gzip", zipped, text, ""},
		{"gzip of nothing", zip(t, ""), "", ""},
		{"gzip of a mark", zip(t, mark+text), text, ""},
		{"two members", zipped + zipped, text + text, ""},
		{"long", zip(t, long), long, ""},
		{"header cut off", zipped[:5], "", "decompress: unexpected EOF"},
		{"cut off", zipped[:len(zipped)-9], text, "decompress: unexpected EOF"},
		{"sum cut off", zipped[:len(zipped)-3], text, "decompress: unexpected EOF"},
		{"wrong sum", zipped[:len(zipped)-8] + "01234567", text, "decompress: gzip: invalid checksum"},
		{"behind it", zipped + "x", text, "decompress: unexpected EOF"},
		{"no gzip", "\x1f\x8bthis is no compressed text", "", "decompress: gzip: invalid header"},
		{"twice", zip(t, zipped), "", "gzip: compressed twice"},
		{"zstd", "\x28\xb5\x2f\xfd\x24", "", "the file is compressed by zstd, not gzip: pass it through zstd -dc"},
		{"xz", "\xfd7zXZ\x00", "", "the file is compressed by xz, not gzip: pass it through xz -dc"},
		{"zip in gzip", zip(t, "PK\x03\x04"), "", "the file is compressed by zip, not gzip: pass it through unzip -p"},
		{"UTF-16", "\xff\xfe0\x00", "", "the text is in UTF-16: convert it to UTF-8"},
		{"UTF-16 of other order", "\xfe\xff\x000", "", "the text is in UTF-16: convert it to UTF-8"},
	} {
		for _, in := range []io.Reader{strings.NewReader(test.in), iotest.OneByteReader(strings.NewReader(test.in)), iotest.DataErrReader(strings.NewReader(test.in))} {
			r := Decode(in)
			got, err := io.ReadAll(r)
			if string(got) != test.want && (test.err == "" || !strings.HasPrefix(test.want, string(got))) {
				t.Errorf("%s: got %.60q, want %.60q", test.name, got, test.want)
			}
			var encoding *EncodingError
			if test.err == "" && err != nil || test.err != "" && (err == nil || err.Error() != test.err || !errors.As(err, &encoding)) {
				t.Errorf("%s: error %v, want %q", test.name, err, test.err)
			}
			if _, again := r.Read(make([]byte, 1)); test.err != "" && again != err {
				t.Errorf("%s: error %v, then %v", test.name, err, again)
			}
		}
	}
}

// TestDecodeReadError: what keeps a file from being read is no fault of its
// encoding.
func TestDecodeReadError(t *testing.T) {
	broken := errors.New("broken disk")
	for _, head := range []string{"", "\x1f", "\x1f\x8b", "0: M[0]", zip(t, "0: M[0]")[:12], zip(t, "0: M[0]")} {
		_, err := io.ReadAll(Decode(io.MultiReader(strings.NewReader(head), iotest.ErrReader(broken))))
		var encoding *EncodingError
		if !errors.Is(err, broken) || errors.As(err, &encoding) {
			t.Errorf("after %q: error %v", head, err)
		}
	}
}

// TestDecodeLimits decompresses to a little less and a little more than is
// allowed.
func TestDecodeLimits(t *testing.T) {
	bomb := zip(t, strings.Repeat(" ", 1<<20)) // about a thousandth
	size := int64(len(bomb))
	for _, test := range []struct {
		free, ratio, most int64
		err               string
	}{
		{1 << 20, 1, 1 << 20, ""},
		{1<<20 - 1, 1, 1 << 20, "more than 1 times its size"},
		{1, 1<<20/size + 1, 1 << 20, ""},
		{1, 1 << 20 / size, 1 << 20, fmt.Sprintf("more than %d times its size", int64(1<<20)/size)},
		{1 << 20, 1, 1<<20 - 1, "more than 1048575 bytes"},
	} {
		d := Decode(strings.NewReader(bomb)).(*decoder)
		d.free, d.ratio, d.most = test.free, test.ratio, test.most
		n, err := io.Copy(io.Discard, d)
		if test.err == "" && (n != 1<<20 || err != nil) || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
			t.Errorf("%+v: %d bytes, error %v", test, n, err)
		}
	}
	plain := Decode(strings.NewReader(strings.Repeat(" ", 1<<20))).(*decoder)
	plain.free, plain.ratio, plain.most = 1, 0, 1
	if n, err := io.Copy(io.Discard, plain); n != 1<<20 || err != nil {
		t.Errorf("a text: %d bytes, error %v", n, err)
	}
}

// TestReadEncoding: the executions before a malformed part are read, and what
// is malformed is one more, not an error of reading.
func TestReadEncoding(t *testing.T) {
	zipped := zip(t, "0: M[0] := 1\ncheck\n0: M[0] := 2\n")
	for _, f := range Matching(nil) {
		if f.read == nil {
			continue
		}
		var last error
		err := Read(f, Decode(strings.NewReader(zipped[:len(zipped)-1])), "f.gz", func(t Trace) error {
			last = t.Err
			return nil
		})
		if err != nil || last == nil {
			t.Errorf("%s: error %v, of the last execution %v", f.Name, err, last)
		}
	}
	axe, _ := ByName("axe")
	count := 0
	if err := Read(axe, Decode(strings.NewReader(zipped[:len(zipped)-1])), "f.gz", func(t Trace) error {
		count++
		if (t.Err == nil) != (count == 1) {
			return fmt.Errorf("trace %d: %w", count, t.Err)
		}
		return nil
	}); err != nil || count != 2 {
		t.Errorf("%d executions, error %v", count, err)
	}
}

// FuzzDecode reads any bytes as they are, compressed and behind a mark.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("0: M[0] := 1\ncheck\n"), 3)
	f.Add([]byte(mark+mark), 1)
	f.Add([]byte(zip(f, "0: M[0] := 1\ncheck\n")), 20)
	f.Add([]byte("\xff\xfe"), 0)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		text, err := io.ReadAll(Decode(bytes.NewReader(data)))
		if err == nil && !bytes.HasPrefix(data, gzipMagic) && string(text) != string(bytes.TrimPrefix(data, utf8Mark)) {
			t.Fatalf("%q became %q", data, text)
		}
		zipped := zip(t, string(data))
		got, err := io.ReadAll(Decode(strings.NewReader(zipped)))
		if bytes.HasPrefix(data, gzipMagic) || bytes.HasPrefix(data, utf16Marks[0]) || bytes.HasPrefix(data, utf16Marks[1]) {
			if err == nil {
				t.Fatalf("%q is accepted", data)
			}
		} else if err != nil || string(got) != string(bytes.TrimPrefix(data, utf8Mark)) {
			t.Fatalf("%q became %q, %v", data, got, err)
		}
		if cut >= len(gzipMagic) && cut < len(zipped) {
			if _, err := io.ReadAll(Decode(strings.NewReader(zipped[:cut]))); err == nil {
				t.Fatalf("%q cut at %d is accepted", data, cut)
			}
		}
	})
}
