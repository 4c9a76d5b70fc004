#!/usr/bin/env bash
# Installs a Trino server into a folder and prints its path for TRINO_HOME. Maven downloads it (0.8 GB) from the
# repositories or mirrors in your Maven settings and verifies its checksum. Keeps only the Hive plugin.
set -euo pipefail
folder=${1:?usage: test/trino/install.sh <folder>}
version=476
home=$folder/trino-server-$version
mkdir -p "$folder"
if [ ! -d "$home/plugin/hive" ]; then
  command -v mvn >/dev/null || { echo "error: Maven (mvn) is required to fetch Trino" >&2; exit 1; }
  archive=$folder/trino-server-$version.tar.gz
  mvn --batch-mode --quiet --strict-checksums dependency:copy \
    -Dartifact="io.trino:trino-server:$version:tar.gz" -DoutputDirectory="$folder" >&2
  mkdir -p "$folder/unpacking"
  tar -xzf "$archive" -C "$folder/unpacking"
  rm "$archive"
  find "$folder/unpacking/trino-server-$version/plugin" -mindepth 1 -maxdepth 1 ! -name hive -exec rm -rf {} +
  rm -rf "$home"
  mv "$folder/unpacking/trino-server-$version" "$home"
fi
echo "$home"
