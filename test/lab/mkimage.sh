#!/bin/bash
# mkimage.sh OUT.tar NAME:TAG ROOTFS_DIR [CONFIG_JSON]   An image that an engine can load, made without any engine or registry.
# CONFIG_JSON is the image's "config" object: {"Entrypoint":["/bin/x"],"Cmd":["-y"],"Env":["A=b"],"WorkingDir":"/"}.
# The same files give the same image id on every node and in every run. Prints the id.
set -euo pipefail
out=$1 reference=$2 rootfs=$3 config=${4:-'{}'}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $(uname -m) in x86_64) architecture=amd64 ;; aarch64) architecture=arm64 ;; *) architecture=$(uname -m) ;; esac
epoch=1970-01-01T00:00:00Z

tar -C "$rootfs" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf "$work/layer.tar" .
layer=$(sha256sum "$work/layer.tar" | cut -d' ' -f1)
printf '{"architecture":"%s","os":"linux","created":"%s","config":%s,"rootfs":{"type":"layers","diff_ids":["sha256:%s"]},"history":[{"created":"%s","created_by":"mkimage"}]}' \
  "$architecture" "$epoch" "$config" "$layer" "$epoch" >"$work/config.json"
id=$(sha256sum "$work/config.json" | cut -d' ' -f1)
mv "$work/config.json" "$work/$id.json"
printf '[{"Config":"%s.json","RepoTags":["%s"],"Layers":["layer.tar"]}]' "$id" "$reference" >"$work/manifest.json"
tar -C "$work" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf "$out" manifest.json "$id.json" layer.tar
echo "sha256:$id"
