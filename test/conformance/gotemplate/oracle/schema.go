package main

import (
	"encoding/json"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

type schemaRequest struct {
	ID     string `json:"id"`
	Schema string `json:"schema"`
	Values string `json:"values"` // JSON
}
type schemaResponse struct {
	ID      string `json:"id,omitempty"`
	Outcome string `json:"outcome"` // valid, invalid, or unusable: the schema cannot be compiled
	Error   string `json:"error"`
}

// checkSchema validates values as the engine does: no $ref is fetched, formats are what the dialect makes of them.
func checkSchema(q schemaRequest) schemaResponse {
	const url = "file:///values.schema.json"
	unusable := func(err error) schemaResponse { return schemaResponse{q.ID, "unusable", err.Error()} }
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(q.Schema))
	if err != nil {
		return unusable(err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{})
	if err := c.AddResource(url, doc); err != nil {
		return unusable(err)
	}
	schema, err := c.Compile(url)
	if err != nil {
		return unusable(err)
	}
	var values interface{}
	if err := json.Unmarshal([]byte(q.Values), &values); err != nil {
		return unusable(err)
	}
	if err := schema.Validate(values); err != nil {
		return schemaResponse{q.ID, "invalid", err.Error()}
	}
	return schemaResponse{q.ID, "valid", ""}
}
