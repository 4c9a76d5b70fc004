"""Serves moto's S3 and Glue on a free port of 127.0.0.1, and logs each request as a line of JSON.

Usage: aws_server.py <request log>

Prints the port as a line of JSON once it listens. Ends when its standard input ends, so that it never outlives the
process that started it.
"""

import json
import os
import sys
import threading
import time
from urllib.parse import parse_qs
from xml.sax.saxutils import escape

from moto.s3.models import s3_backends
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

ACCOUNT = "123456789012"
TARGET = "HTTP_X_AMZ_TARGET"

# moto has no column statistics and answers 500, which Trino repeats for seconds. These are Glue's answers for tables
# and partitions without statistics.
STATISTICS = {
    "GetColumnStatisticsForPartition": (
        "400 Bad Request",
        {"__type": "EntityNotFoundException", "Message": "Cannot find partition."},
    ),
    "GetColumnStatisticsForTable": ("200 OK", {"ColumnStatisticsList": [], "Errors": []}),
    "UpdateColumnStatisticsForTable": ("200 OK", {"Errors": []}),
    "UpdateColumnStatisticsForPartition": ("200 OK", {"Errors": []}),
    "DeleteColumnStatisticsForTable": ("200 OK", {}),
}


class FolderIndex:
    """Lists of the keys in a bucket's folders `table/partition/`.

    moto walks through all keys of a bucket for each LIST, which takes long for the hundreds of a search.
    """

    def __init__(self):
        self.writes = 0
        self.built = {}

    def forget(self):
        """Must be called after each request that may have changed a bucket."""
        self.writes += 1

    def keys(self, bucket, folder):
        writes, folders = self.built.get(bucket.name, (None, {}))
        if writes != self.writes:
            writes, folders = self.writes, {}
            for key in list(bucket.keys.keys()):
                folders.setdefault("/".join(key.split("/")[:2]) + "/", []).append(key)
            self.built[bucket.name] = (writes, folders)
        return sorted(folders.get(folder, []))


def list_folder(index, name, query):
    """Returns the XML of a ListObjectsV2 of a folder `table/partition/` that fits on one page, or None for others."""
    asked = parse_qs(query, keep_blank_values=True)
    folder = asked.get("prefix", [""])[0]
    is_folder = folder.endswith("/") and folder.count("/") == 2
    bucket = s3_backends[ACCOUNT]["aws"].buckets.get(name)
    if asked.get("list-type") != ["2"] or "continuation-token" in asked or "delimiter" in asked:
        return None
    if not is_folder or bucket is None:
        return None
    keys = index.keys(bucket, folder)
    if len(keys) > 1000:
        return None
    contents = "".join(
        f"<Contents><Key>{escape(key)}</Key><LastModified>2026-11-24T00:00:00.000Z</LastModified>"
        f"<ETag>{escape(bucket.keys[key].etag)}</ETag><Size>{bucket.keys[key].size}</Size>"
        "<StorageClass>STANDARD</StorageClass></Contents>"
        for key in keys
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
        f"<Name>{escape(name)}</Name><Prefix>{escape(folder)}</Prefix><MaxKeys>1000</MaxKeys>"
        f"<KeyCount>{len(keys)}</KeyCount><IsTruncated>false</IsTruncated>{contents}</ListBucketResult>"
    ).encode()


class LoggedAws:
    """WSGI application: moto with the answers above, and a line in the log before each answer is sent."""

    def __init__(self, log):
        self.moto = DomainDispatcherApplication(create_backend_app)
        self.index = FolderIndex()
        self.log = log

    def __call__(self, environment, start_response):
        began = time.monotonic()
        statuses = []

        def start(status, headers, *rest):
            statuses.append(int(status.split()[0]))
            return start_response(status, headers, *rest)

        body = self.answer(environment, start)
        entry = {
            "method": environment["REQUEST_METHOD"],
            "path": environment.get("PATH_INFO", ""),
            "query": environment.get("QUERY_STRING", ""),
            # Name of the Glue operation; empty for S3.
            "operation": environment.get(TARGET, "").split(".")[-1],
            "range": environment.get("HTTP_RANGE", ""),
            "status": statuses[-1] if statuses else None,
            "ms": round(1000 * (time.monotonic() - began), 1),
        }
        self.log.write(json.dumps(entry) + "\n")
        return body

    def answer(self, environment, start):
        operation = environment.get(TARGET, "").split(".")[-1]
        if operation in STATISTICS:
            environment["wsgi.input"].read(int(environment.get("CONTENT_LENGTH") or 0))
            status, body = STATISTICS[operation]
            return respond(start, status, "application/x-amz-json-1.1", json.dumps(body).encode())
        if environment["REQUEST_METHOD"] == "GET":
            bucket = environment.get("PATH_INFO", "").strip("/")
            listing = list_folder(self.index, bucket, environment.get("QUERY_STRING", ""))
            if listing is not None:
                return respond(start, "200 OK", "application/xml", listing)
        try:
            return self.moto(environment, start)
        finally:
            if environment["REQUEST_METHOD"] not in ("GET", "HEAD"):
                self.index.forget()


def respond(start, status, media_type, body):
    start(status, [("Content-Type", media_type), ("Content-Length", str(len(body)))])
    return [body]


class QuietHandler(WSGIRequestHandler):
    # Keeps connections open, as S3 does.
    protocol_version = "HTTP/1.1"

    def log_request(self, *_):
        pass


def end_with_input():
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    with open(sys.argv[1], "a", buffering=1) as request_log:
        server = make_server("127.0.0.1", 0, LoggedAws(request_log), threaded=True, request_handler=QuietHandler)
        threading.Thread(target=end_with_input, daemon=True).start()
        print(json.dumps({"port": server.port}), flush=True)
        server.serve_forever()
