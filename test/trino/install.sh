#!/usr/bin/env bash
# Puts a Trino into a folder and prints its home, for TRINO_HOME: the server from Maven Central (0.8 GB), of its plugins
# the one for Hive tables alone.
set -euo pipefail
folder=${1:?usage: test/trino/install.sh <folder>}
version=476
mkdir -p "$folder"
if [ ! -d "$folder/trino-server-$version/plugin/hive" ]; then
  curl --fail --silent --show-error --location \
    "https://repo.maven.apache.org/maven2/io/trino/trino-server/$version/trino-server-$version.tar.gz" | tar -xz -C "$folder"
  find "$folder/trino-server-$version/plugin" -mindepth 1 -maxdepth 1 ! -name hive -exec rm -rf {} +
fi
echo "$folder/trino-server-$version"
