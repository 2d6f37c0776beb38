package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"text/template"
	"time"

	"gopkg.in/yaml.v3"
)

const runsPerRound = 100

// bench reads one render request and prints, as JSON, how many nanoseconds an execution takes, and how many a render of the
// request as a chart: values and template parsed, executed, the output read, merged and written as a manifest. Both are the
// shortest of many runs, which other programs on the machine disturb least.
func bench(rounds int) {
	var q request
	die(json.NewDecoder(os.Stdin).Decode(&q))
	root := rootT{Values: map[string]interface{}{}, Release: relT{"ci", "ci", 1}, Chart: chT{"demo", "0.1.0", "1.0"}}
	src := []byte(q.ValuesYAML)
	if len(q.Values) > 0 {
		src = q.Values
	}
	readValues := func() {
		root.Values = map[string]interface{}{}
		die(yaml.Unmarshal(src, &root.Values))
	}
	readValues()
	parse := func() *template.Template {
		t := template.New("bench")
		t.Funcs(funcs(t))
		_, err := t.Parse(q.Template)
		die(err)
		return t
	}
	t := parse()
	execute := func() { die(t.Execute(io.Discard, root)) }
	render := func() {
		readValues()
		var b strings.Builder
		die(parse().Execute(&b, root))
		doc := map[string]interface{}{}
		die(yaml.Unmarshal([]byte(b.String()), &doc))
		_, err := emitYAML(overlay(map[string]interface{}{}, doc), 2)
		die(err)
	}
	die(json.NewEncoder(os.Stdout).Encode(struct {
		Execute float64 `json:"executeNs"`
		Render  float64 `json:"renderNs"`
	}{best(rounds, execute), best(rounds, render)}))
}

func best(rounds int, run func()) float64 {
	run()
	least := math.Inf(1)
	for i := 0; i < runsPerRound*rounds; i++ {
		start := time.Now()
		run()
		least = min(least, float64(time.Since(start).Nanoseconds()))
	}
	if math.IsInf(least, 1) {
		die(fmt.Errorf("no rounds"))
	}
	return least
}
