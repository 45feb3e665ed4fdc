"""Counts the test cases that Bazel ran, and lists failed, flaky and skipped
ones with the reason.

usage: count_tests.py REPORT…, where each REPORT is a file of bazel test's
--build_event_json_file; one named "conformance" is testing/conformance's,
"mcp_clients" is testing/mcp's, and "page" is testing/page's.
A target that was not built, and a test program that failed without a failed
case, count as one failure each. Of a test that ran more than once the last run
counts; if only that one passed, the test is listed as flaky. The last line is "N passed, N failed, N
skipped"; the exit code is 0 only if something passed and nothing failed.
"""

import json
import pathlib
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree

COUNTED = ("conformance", "mcp_clients", "page")


def cases(uri):
    """Returns passed, failed and skipped (with reasons) cases of a test.xml."""
    path = urllib.parse.unquote(urllib.parse.urlparse(uri).path)
    passed, failed, skipped = [], [], []
    try:
        root = ElementTree.parse(path)
    except (OSError, ElementTree.ParseError):
        return passed, failed, skipped
    for case in root.iter("testcase"):
        name = f"{case.get('classname', '')}.{case.get('name', '')}".strip(".")
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(name)
        elif case.find("skipped") is not None:
            message = case.find("skipped").get("message", "")
            # Google Test writes the source location on the first line.
            reason = message.strip().splitlines()[-1:]
            skipped.append(": ".join([name, *reason]))
        elif case.get("status") != "notrun":
            passed.append(name)
    return passed, failed, skipped


def last_attempts(results):
    """Returns the results of the last attempts, and the flaky tests."""
    last, final, flaky = {}, [], []
    for label, key, result in results:
        attempts = last.setdefault(
            (label, key.get("run", 1), key.get("shard", 1)), {})
        attempts[key.get("attempt", 1)] = result
    for (label, _, _), attempts in last.items():
        result = attempts[max(attempts)]
        final.append((label, result))
        if len(attempts) > 1 and result["status"] == "PASSED":
            names = []
            for attempt in sorted(attempts)[:-1]:
                for output in attempts[attempt].get("testActionOutput", []):
                    if output["name"] == "test.xml":
                        names += cases(output["uri"])[1]
            flaky.append(": ".join([label, ", ".join(names)]).strip(": "))
    return final, flaky


def read(report):
    """Returns the number of passed cases, and the failed, skipped and flaky
    ones."""
    passed, failures, skipped, ended = 0, [], [], False
    tests, ran, ok, results = set(), set(), True, []
    for line in report.read_text().splitlines() if report.exists() else []:
        event = json.loads(line)
        kind, key = next(iter(event["id"].items()))
        label = key.get("label") if isinstance(key, dict) else None
        if kind == "targetConfigured" and "testSize" in event.get(
                "configured", {}):
            tests.add(label)
        elif kind == "targetCompleted" and label not in tests:
            if not event.get("completed", {}).get("success"):
                failures.append(f"{label} does not build")
        elif kind == "testResult" and "testResult" in event:
            results.append((label, key, event["testResult"]))
        elif kind == "buildFinished":
            ended = True
            ok = event["finished"].get("overallSuccess", False)
    final, flaky = last_attempts(results)
    for label, result in final:
        ran.add(label)
        good, bad, not_run = [], [], []
        for output in result.get("testActionOutput", []):
            if output["name"] == "test.xml":
                good, bad, not_run = cases(output["uri"])
        passed += len(good)
        failures += [f"{label} {name}" for name in bad]
        skipped += [f"{label} {name}" for name in not_run]
        if result["status"] != "PASSED" and not bad:
            failures.append(f"{label} {result['status']}")
    failures += [f"{label} did not run" for label in sorted(tests - ran)]
    if not failures and not (ok and ended):
        failures.append("the build itself, see above")
    return passed, failures, skipped, flaky


def read_counted(report):
    """Does the same for a run that counts by itself."""
    if not report.exists():
        return 0, ["it did not run, see above"], [], []
    counted = json.loads(report.read_text())
    failed = counted["failed"]
    if not counted["passed"] and not failed:
        failed = ["nothing ran, see above"]
    return (len(counted["passed"]), failed, counted["skipped"],
            counted.get("flaky", []))


def main():
    passed, failures, skipped, flaky = 0, [], [], []
    for report in map(pathlib.Path, sys.argv[1:]):
        count = read_counted if report.stem in COUNTED else read
        good, bad, not_run, unsteady = count(report)
        passed += good
        failures += [f"{report.stem}: {name}" for name in bad]
        skipped += [f"{report.stem}: {name}" for name in not_run]
        flaky += [f"{report.stem}: {name}" for name in unsteady]
    for name in skipped:
        print(f"SKIPPED {name}")
    for name in flaky:
        print(f"FLAKY {name} passed only when it ran again")
    for failure in failures:
        print(f"FAILED {failure}")
    print(f"{passed} passed, {len(failures)} failed, {len(skipped)} skipped")
    return 0 if passed and not failures else 1


sys.exit(main())
