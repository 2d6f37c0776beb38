// gotmpl: a reference oracle used to check a TypeScript port of the swarmcli chart engine.
// It runs the libraries the engine runs: text/template, sprig, yaml.v3, semver.
//
//	main.go   flags, one-shot and line-by-line serving
//	render.go text/template with the engine's functions and roots
//	chart.go  a chart directory -> manifest, requirements, file references
//	data.go   yaml (typed decode), emit, semver
//	gen.go    random render requests for differential tests
//	mutate.go the same, damaged
//	bench.go  how long a parse and an execution take
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"text/template"
	"time"
	_ "time/tzdata"

	"gopkg.in/yaml.v3"
)

var (
	mode    = flag.String("mode", "tmpl", "tmpl|batch|chart|emit|emits|yaml|semver|gen|mutate|bench|funcs")
	helm    = flag.Bool("helm", false, "add include, tpl, required, fromYaml (NOT part of the swarmcli dialect)")
	release = flag.String("release", "ci", "chart: release name")
	raw     = flag.Bool("raw", false, "chart: print each rendered template instead of the merged manifest")
	asJSON  = flag.Bool("json", false, "chart: print {ok, manifest, requirements, files, error}")
	indent  = flag.Int("indent", 2, "emit: indent")
	seed    = flag.Int64("seed", 1, "gen: seed")
	count   = flag.Int("count", 100, "gen: number of requests")
)

func die(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// lines answers every JSON request on stdin with one JSON line on stdout.
func lines[Q any, R any](answer func(Q) R, bad func(error) R) {
	sc := bufio.NewScanner(os.Stdin)
	sc.Buffer(make([]byte, 1<<20), 256<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for sc.Scan() {
		if len(bytes.TrimSpace(sc.Bytes())) == 0 {
			continue
		}
		var q Q
		if err := json.Unmarshal(sc.Bytes(), &q); err != nil {
			die(enc.Encode(bad(fmt.Errorf("request: %w", err))))
			continue
		}
		die(enc.Encode(answer(q)))
	}
	die(sc.Err())
}

func main() {
	flag.Parse()
	time.Local = time.UTC                     // dates without a zone: as on a server in UTC
	os.Setenv("GODEBUG", "urlstrictcolons=1") // net/url as under "go 1.26", whatever go.mod says
	failed := func(err error) response { return response{Error: err.Error()} }
	switch *mode {
	case "tmpl":
		var q request
		die(json.NewDecoder(os.Stdin).Decode(&q))
		r := serve(q)
		if !r.OK {
			die(fmt.Errorf("%s", r.Error))
		}
		fmt.Print(r.text())
	case "batch":
		lines(serve, failed)
	case "yaml":
		lines(decodeTyped, func(err error) typedResponse { return typedResponse{Error: err.Error()} })
	case "emits":
		lines(emitOne, failed)
	case "semver":
		lines(checkSemver, func(err error) semverResponse { return semverResponse{Error: err.Error()} })
	case "schema":
		lines(checkSchema, func(err error) schemaResponse { return schemaResponse{Outcome: "unusable", Error: err.Error()} })
	case "record":
		lines(rewriteRecord, func(err error) recordResponse { return recordResponse{Error: err.Error()} })
	case "gen":
		generate(*seed, *count)
	case "mutate":
		mutate(*seed, *count)
	case "bench":
		bench(*count)
	case "emit":
		b, err := io.ReadAll(os.Stdin)
		die(err)
		var v interface{}
		die(yaml.Unmarshal(b, &v))
		s, err := emitYAML(v, *indent)
		die(err)
		fmt.Print(s)
	case "chart":
		if flag.NArg() < 1 {
			die(fmt.Errorf("usage: gotmpl -mode chart [-release ci] [-raw|-json] <dir> [values.yaml ...]"))
		}
		res, err := renderChart(flag.Arg(0), flag.Args()[1:], *release)
		if *asJSON {
			if res.OK = err == nil; err != nil {
				res = chartResult{Error: err.Error()}
			}
			enc := json.NewEncoder(os.Stdout)
			enc.SetEscapeHTML(false)
			die(enc.Encode(res))
			return
		}
		die(err)
		if *raw {
			fmt.Print(res.raw)
		} else {
			fmt.Print(res.Manifest)
		}
	case "funcs":
		var n []string
		for k := range funcs(template.New("x")) {
			n = append(n, k)
		}
		sort.Strings(n)
		fmt.Println(strings.Join(n, "\n"))
	default:
		die(fmt.Errorf("unknown mode %q", *mode))
	}
}
