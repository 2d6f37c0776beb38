#!/bin/sh
exec node /opt/hivekeep/main.js "$@"
