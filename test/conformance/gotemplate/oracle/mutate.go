package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"unicode/utf8"
)

// pieces are what a mutation puts in: delimiters, keywords and characters on which a lexer or parser decides.
var pieces = []string{"{{", "}}", "{{- ", " -}}", "(", ")", "|", " | ", ".", "$", "$x", ":=", " = ", "\"", "`", "'", "\\", "/*", "*/", "{{/*", "*/}}",
	"{{ end }}", "{{else}}", "{{ if .Values.s }}", "{{ range .Values.strs }}", "{{ with . }}", "{{ define \"x\" }}", "{{ template \"x\" . }}",
	"{{ block \"x\" . }}", "{{ break }}", "{{continue}}", "else if ", "else with ", "0", "1", "0x", "e", "i", "_", "-", "+", ",", " ", "\n", "\t", "\r",
	"nil", "true", "and ", "or ", "not ", "quote ", "é", "😀", "\u00a0", "#", "%", "@", "{", "}", ".Values", ".Values.s", ".Values.nope.x", "..", "{{$x := 1}}", "{{$x}}"}

// mutate prints count damaged render requests, one JSON a line; equal seeds give equal lines. Each is a generated template in
// which something was cut, doubled, put in, or taken from another one.
func mutate(seed int64, count int) {
	enc := json.NewEncoder(os.Stdout)
	enc.SetEscapeHTML(false)
	for i := 0; i < count; i++ {
		r := rand.New(rand.NewSource(seed*7_000_003 + int64(i)))
		body, vals := sample(r)
		for k := 1 + r.Intn(2); k > 0; k-- {
			other, _ := sample(r)
			body = damage(r, body, other)
		}
		raw, err := json.Marshal(vals)
		die(err)
		die(enc.Encode(struct {
			ID       string          `json:"id"`
			Template string          `json:"template"`
			Values   json.RawMessage `json:"values"`
		}{fmt.Sprintf("mut-%d-%d", seed, i), body, raw}))
	}
}

// sample makes a template and its values by the generator's grammar.
func sample(r *rand.Rand) (string, map[string]interface{}) {
	g := &gen{r: rand.New(rand.NewSource(r.Int63()))}
	vals := g.values()
	return g.block(2), vals
}

// damage changes one place of s; other is a template to take from. The result is valid UTF-8.
func damage(r *rand.Rand, s, other string) string {
	from := boundary(s, r.Intn(len(s)+1))
	to := boundary(s, min(len(s), from+r.Intn(8)))
	piece := pieces[r.Intn(len(pieces))]
	switch r.Intn(5) {
	case 0:
		return s[:from] + s[to:]
	case 1:
		return s[:from] + piece + s[from:]
	case 2:
		return s[:from] + piece + s[to:]
	case 3:
		start := boundary(other, r.Intn(len(other)+1))
		end := boundary(other, min(len(other), start+r.Intn(30)))
		return s[:from] + other[start:end] + s[to:]
	}
	return s[:to] + s[from:]
}

// boundary moves i forward to the start of a letter.
func boundary(s string, i int) int {
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return i
}
