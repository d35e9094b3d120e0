#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Serve FOLDER/metrics as OpenMetrics, let a Prometheus scrape it, say what it got.

Usage: scrape.py FOLDER [RULES DASHBOARD]

With these it evaluates the rules and asks what the panels of the dashboard ask: what fails
or has no answer is said, and then the alerts that fire.
"""
import functools
import http.server
import json
import os
import re
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


def answer_to(port, text):
    """All that it answers; a text if that is an error."""
    url = "http://127.0.0.1:%d/api/v1/query?query=%s" % (port, urllib.parse.quote(text))
    try:
        with urllib.request.urlopen(url) as answer:
            return json.load(answer)["data"]["result"]
    except urllib.error.HTTPError as error:
        return json.load(error)["error"]
    except (urllib.error.URLError, ConnectionError) as error:
        return str(error)


def query(port, text):
    result = answer_to(port, text)
    return result[0]["value"][1] if result and isinstance(result, list) else None


def wait_for(port, text):
    """What is answered first; None after a minute."""
    answer, end = None, time.time() + 60
    while answer is None and time.time() < end:
        time.sleep(0.5)
        answer = query(port, text)
    return answer


def try_dashboard(port, path):
    wait_for(port, "scounter:rate5m_upper")
    wait_for(port, 'ALERTS{alertstate="firing"}')
    with open(path) as file:
        dashboard = json.load(file)
    tried = 0
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            text = re.sub(r"\$(instance|group|name)\b", ".*", target["expr"])
            result = answer_to(port, text)
            tried += 1
            if isinstance(result, str) or not result:
                print("%s: %s: %s" % (panel["title"], text, result or "no answer"))
    print("%d panels asked %d times" % (len(dashboard["panels"]), tried))
    for alert in sorted({a["metric"]["alertname"] + " " + a["metric"]["name"]
                         for a in answer_to(port, 'ALERTS{alertstate="firing"}')}):
        print(alert)


server = http.server.ThreadingHTTPServer(
    ("127.0.0.1", 0), functools.partial(Handler, directory=sys.argv[1]))
threading.Thread(target=server.serve_forever, daemon=True).start()
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]
with tempfile.TemporaryDirectory() as folder:
    rules = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else ""
    with open(os.path.join(folder, "config"), "w") as config:
        config.write("{global: {evaluation_interval: 1s}, rule_files: ['%s'], " % rules if rules else "{")
        config.write("scrape_configs: [{job_name: s, scrape_interval: 1s, scrape_timeout: 1s, "
                     "static_configs: [{targets: ['127.0.0.1:%d']}]}]}" % server.server_port)
    with open(os.path.join(folder, "log"), "w") as log:
        prometheus = subprocess.Popen(
            ["prometheus", "--config.file=" + config.name, "--storage.tsdb.path=" + folder,
             "--web.listen-address=127.0.0.1:%d" % port], stdout=log, stderr=log)
    try:
        up = wait_for(port, "up")
        print("up %s, %s counters" % (up, query(port, 'count({__name__=~"scounter_.*_total"})') or 0))
        if rules:
            try_dashboard(port, sys.argv[3])
    finally:
        prometheus.kill()
        prometheus.wait()
