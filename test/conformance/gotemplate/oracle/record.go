package main

import (
	"bytes"
	"compress/gzip"
	"io"

	"gopkg.in/yaml.v3"
)

// record is a stored release as the format says: its keys, their order, and which are left out.
type record struct {
	Release  string `yaml:"release"`
	Revision int    `yaml:"revision"`
	Status   string `yaml:"status"`
	Chart    struct {
		Name       string `yaml:"name"`
		Version    string `yaml:"version"`
		AppVersion string `yaml:"appVersion,omitempty"`
		Repo       string `yaml:"repo,omitempty"`
		RepoURL    string `yaml:"repoURL,omitempty"`
	} `yaml:"chart"`
	Values          map[string]interface{} `yaml:"values"`
	Manifest        string                 `yaml:"manifest"`
	Created         string                 `yaml:"created"`
	Namespace       string                 `yaml:"namespace"`
	ManagedNetworks []string               `yaml:"managedNetworks,omitempty"`
	Owner           string                 `yaml:"owner,omitempty"`
	Files           map[string]string      `yaml:"files,omitempty"`
}

type recordRequest struct {
	Data []byte `json:"data"` // a config's, in base64
}
type recordResponse struct {
	Data  []byte `json:"data,omitempty"` // the same release, written anew
	Error string `json:"error"`
}

func rewriteRecord(q recordRequest) (res recordResponse) {
	fail := func(err error) recordResponse { return recordResponse{Error: err.Error()} }
	packed, err := gzip.NewReader(bytes.NewReader(q.Data))
	if err != nil {
		return fail(err)
	}
	payload, err := io.ReadAll(packed)
	if err != nil {
		return fail(err)
	}
	var r record
	if err := yaml.Unmarshal(payload, &r); err != nil {
		return fail(err)
	}
	text, err := emitYAML(r, 4)
	if err != nil {
		return fail(err)
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil {
		return fail(err)
	}
	if err := w.Close(); err != nil {
		return fail(err)
	}
	return recordResponse{Data: out.Bytes()}
}
