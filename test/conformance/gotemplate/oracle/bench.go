package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"text/template"
	"time"

	"gopkg.in/yaml.v3"
)

const runsPerRound = 100

// bench reads one render request and prints, as JSON, how many nanoseconds a parse and an execution take: the shortest of
// many runs, which other programs on the machine disturb least.
func bench(rounds int) {
	var q request
	die(json.NewDecoder(os.Stdin).Decode(&q))
	root := rootT{Values: map[string]interface{}{}, Release: relT{"ci", "ci", 1}, Chart: chT{"demo", "0.1.0", "1.0"}}
	src := []byte(q.ValuesYAML)
	if len(q.Values) > 0 {
		src = q.Values
	}
	die(yaml.Unmarshal(src, &root.Values))
	parse := func() *template.Template {
		t := template.New("bench")
		t.Funcs(funcs(t))
		_, err := t.Parse(q.Template)
		die(err)
		return t
	}
	t := parse()
	execute := func() { die(t.Execute(io.Discard, root)) }
	die(json.NewEncoder(os.Stdout).Encode(struct {
		Parse   float64 `json:"parseNs"`
		Execute float64 `json:"executeNs"`
	}{best(rounds, func() { parse() }), best(rounds, execute)}))
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
