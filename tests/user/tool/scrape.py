#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Serve FOLDER/metrics as OpenMetrics, let a Prometheus scrape it, say what it got."""
import functools
import http.server
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request


class Handler(http.server.SimpleHTTPRequestHandler):
    def guess_type(self, path):
        return "application/openmetrics-text; version=1.0.0; charset=utf-8"

    def log_message(self, *_):
        pass


def query(port, text):
    url = "http://127.0.0.1:%d/api/v1/query?query=%s" % (port, urllib.parse.quote(text))
    try:
        with urllib.request.urlopen(url) as answer:
            result = json.load(answer)["data"]["result"]
    except (urllib.error.URLError, ConnectionError):
        return None
    return result[0]["value"][1] if result else None


server = http.server.ThreadingHTTPServer(
    ("127.0.0.1", 0), functools.partial(Handler, directory=sys.argv[1]))
threading.Thread(target=server.serve_forever, daemon=True).start()
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]
with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, "config"), "w") as config:
        config.write("scrape_configs: [{job_name: s, scrape_interval: 1s, scrape_timeout: 1s, "
                     "static_configs: [{targets: ['127.0.0.1:%d']}]}]" % server.server_port)
    with open(os.path.join(folder, "log"), "w") as log:
        prometheus = subprocess.Popen(
            ["prometheus", "--config.file=" + config.name, "--storage.tsdb.path=" + folder,
             "--web.listen-address=127.0.0.1:%d" % port], stdout=log, stderr=log)
    try:
        up, end = None, time.time() + 60
        while up is None and time.time() < end:
            time.sleep(0.5)
            up = query(port, "up")
        print("up %s, %s counters" % (up, query(port, 'count({__name__=~"scounter_.*_total"})') or 0))
    finally:
        prometheus.kill()
        prometheus.wait()
