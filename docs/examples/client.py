#!/usr/bin/env python3
"""Gives an agent a task by Troika's API, answers what it asks, prints its answer.

usage: client.py HARNESS PROMPT [FOLDER]

TROIKA_URL (default http://127.0.0.1:4747) and TROIKA_TOKEN (`troika token`) name
the server, which `troika serve` runs.
"""
import json, os, sys, urllib.request

URL = os.environ.get("TROIKA_URL", "http://127.0.0.1:4747") + "/api/v1"
HEADERS = {"Authorization": "Bearer " + os.environ["TROIKA_TOKEN"]}


def call(path, body=None, **headers):
    data = None if body is None else json.dumps(body).encode()
    kind = {} if body is None else {"Content-Type": "application/json"}
    return urllib.request.urlopen(urllib.request.Request(
        URL + path, data, {**HEADERS, **kind, **headers}))


harness, prompt, *folder = sys.argv[1:]
task = json.load(call("/tasks", {
    "harness": harness, "prompt": prompt, "cwd": os.path.abspath((folder or ["."])[0]),
    "options": {"edit_mode": "ask"}}))["id"]
for line in call(f"/tasks/{task}/events", Accept="text/event-stream"):
    event = json.loads(line[6:]) if line.startswith(b"data: {") else {}
    approval = event.get("approval", {})
    if approval.get("state") == "asked":
        print("allowed:", approval["toolName"], approval["command"])
        call(f"/tasks/{task}/respond", {
            "id": approval["id"], "approval": {"allow": True}})
    if "result" in event:
        print(event["result"]["text"] or event["result"]["error"])
        sys.exit(event["result"]["isError"])
