#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Whether standard input is an ExportMetricsServiceRequest in OTLP/JSON, by its rules.

The fields are those of opentelemetry-proto 1.x (metrics.proto, common.proto, resource.proto),
the types those of the JSON form of protobuf as OTLP has it: names in lowerCamelCase, whole
numbers of 64 bits as texts, enumerators as numbers, no infinity.  Prints what does not hold,
or how many metrics and points there are.
"""
import collections
import json
import re
import sys

ENUM, NUMBER, INT64, UINT64, TEXT, BOOL = range(6)
VALUE = {"stringValue": TEXT, "boolValue": BOOL, "intValue": INT64, "doubleValue": NUMBER}
ATTRIBUTES = [{"key": TEXT, "value": VALUE}]
POINT = {"attributes": ATTRIBUTES, "startTimeUnixNano": UINT64, "timeUnixNano": UINT64,
         "asInt": INT64, "asDouble": NUMBER, "flags": ENUM}
METRIC = {"name": TEXT, "description": TEXT, "unit": TEXT,
          "gauge": {"dataPoints": [POINT]},
          "sum": {"dataPoints": [POINT], "aggregationTemporality": ENUM, "isMonotonic": BOOL}}
REQUEST = {"resourceMetrics": [{
    "resource": {"attributes": ATTRIBUTES, "droppedAttributesCount": ENUM},
    "scopeMetrics": [{"scope": {"name": TEXT, "version": TEXT}, "metrics": [METRIC],
                      "schemaUrl": TEXT}],
    "schemaUrl": TEXT}]}
findings = []


def is_whole(value, least, most):
    return isinstance(value, str) and re.fullmatch(r"-?[0-9]+", value) and least <= int(value) < most


def check(value, schema, where):
    if isinstance(schema, list):
        if not isinstance(value, list):
            findings.append("%s is no list" % where)
            return
        for i, element in enumerate(value):
            check(element, schema[0], "%s[%d]" % (where, i))
    elif isinstance(schema, dict):
        if not isinstance(value, dict):
            findings.append("%s is no object" % where)
            return
        for key, element in value.items():
            if key not in schema:
                findings.append("%s has no field %s" % (where, key))
            else:
                check(element, schema[key], "%s.%s" % (where, key))
    elif not {ENUM: lambda: type(value) is int,
              NUMBER: lambda: type(value) in (int, float) and abs(value) < float("inf"),
              INT64: lambda: is_whole(value, -2**63, 2**63),
              UINT64: lambda: is_whole(value, 0, 2**64),
              TEXT: lambda: isinstance(value, str),
              BOOL: lambda: isinstance(value, bool)}[schema]():
        findings.append("%s is %r" % (where, value))


def check_point(point, where, total):
    keys = [attribute.get("key") for attribute in point.get("attributes", [])]
    if len(set(keys)) != len(keys) or not all(keys):
        findings.append("%s has attributes %s" % (where, keys))
    if ("asInt" in point) == ("asDouble" in point):
        findings.append("%s has not one value" % where)
    if int(point.get("timeUnixNano", 0)) == 0:
        findings.append("%s has no time" % where)
    if int(point.get("startTimeUnixNano", 0)) > int(point.get("timeUnixNano", 0)):
        findings.append("%s ends before it starts" % where)
    if total and float(point.get("asInt", point.get("asDouble", 0))) < 0:
        findings.append("%s is a total below 0" % where)
    return json.dumps(sorted(point.get("attributes", []), key=str))


def check_metric(metric, where):
    """How many points it has."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_.\-/]{0,254}", metric.get("name", "")):
        findings.append("%s is called %r" % (where, metric.get("name")))
    if ("sum" in metric) == ("gauge" in metric):
        findings.append("%s is not one of sum and gauge" % where)
        return 0
    total = metric.get("sum")
    if total and (total.get("aggregationTemporality") != 2 or total.get("isMonotonic") is not True):
        findings.append("%s is no cumulative, monotonic sum" % where)
    points = (total or metric["gauge"]).get("dataPoints", [])
    series = collections.Counter(check_point(p, "%s.%d" % (where, i), total)
                                 for i, p in enumerate(points))
    findings.extend("%s has %s twice" % (where, s) for s, n in series.items() if n > 1)
    if not points:
        findings.append("%s has no point" % where)
    return len(points)


def main():
    def no_constant(name):
        findings.append("%s is no JSON" % name)
    request = json.loads(sys.stdin.buffer.read().decode("utf-8"), parse_constant=no_constant)
    check(request, REQUEST, "request")
    metrics = points = 0
    if not findings:
        for of_resource in request["resourceMetrics"]:
            for of_scope in of_resource["scopeMetrics"]:
                names = [metric.get("name") for metric in of_scope["metrics"]]
                findings.extend("%s comes twice" % n for n, k in collections.Counter(names).items() if k > 1)
                metrics += len(names)
                points += sum(check_metric(m, m.get("name", "?")) for m in of_scope["metrics"])
    print(*findings or ["%d metrics, %d points" % (metrics, points)], sep="\n")
    sys.exit(bool(findings))


main()
