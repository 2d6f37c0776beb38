#!/bin/sh
# The same limits as `./hivekeep` sets: a service is idle most of the time, and an agent runs on every node.
case "${1-} ${2-}" in
  'service node-agent') flags='--max-semi-space-size=1 --v8-pool-size=1' ;;
  'up '* | 'service '*) flags='--max-semi-space-size=2 --optimize-for-size --v8-pool-size=2' ;;
  *) flags= ;;
esac
# shellcheck disable=SC2086 # several flags
exec node $flags /opt/hivekeep/main.js "$@"
