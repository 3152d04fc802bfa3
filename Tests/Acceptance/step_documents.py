"""What openapi.yaml and the README say, held against the running service."""

import functools
import json
import pathlib
import re
import sys

import jsonschema
import referencing
import referencing.jsonschema
import yaml

from harness import (
    BINARY,
    ROOT,
    TRACK,
    EventReader,
    Service,
    expect,
    expect_true,
    folder,
    run,
    step,
)

PROGRAMS = pathlib.Path(sys.executable).parent
DOCUMENT = ROOT / "openapi.yaml"
DATA = {"reset": "Reset", "gap": "Gap", "status": "Status", "end": "End", "bye": "Bye"}


@functools.cache
def validator(schema):
    """Checks values against a schema of openapi.yaml by its name."""
    document = yaml.safe_load(DOCUMENT.read_text())
    specification = referencing.jsonschema.DRAFT202012
    registry = referencing.Registry().with_resource(
        "urn:api", referencing.Resource(document, specification)
    )
    return jsonschema.Draft202012Validator(
        {"$ref": f"urn:api#/components/schemas/{schema}"},
        registry=registry,
        format_checker=jsonschema.FormatChecker(),
    )


@step("openapi.yaml is valid OpenAPI 3.1")
def valid():
    run(PROGRAMS / "openapi-spec-validator", DOCUMENT)


@step("each event of a stream and its data are as openapi.yaml says")
def events():
    with Service(f"{TRACK}?rate=max&loop=false", "demo=sim:") as service:
        seen = set()
        paths = ["/v1/locations?device=track", "/v1/locations?device=demo&limit=2"]
        for path in [*paths, "/v1/locations?device=demo&limit=1&format=geojson"]:
            fix = "Feature" if "geojson" in path else "Fix"
            with EventReader(service.url, path, {"Last-Event-ID": "elsewhere-1"}) as stream:
                for event in stream.events():
                    event.pop("comment", None)
                    if "data" not in event:
                        continue
                    name = event.get("event")
                    validator("StreamEvent").validate(event)
                    validator(DATA[name] if name else fix).validate(json.loads(event["data"]))
                    seen.add(name or fix)
        expect_true({"Fix", "Feature", "reset", "end"} <= seen, "these kinds of events", seen)
        schemas = yaml.safe_load(DOCUMENT.read_text())["components"]["schemas"]
        latest = service.json("/v1/locations/latest")["locations"]
        expect(list(latest[0]), list(schemas["Fix"]["properties"]), "the keys of a fix, in order")


def conform(service, *options):
    """Sends odd requests made from openapi.yaml, the same ones each time."""
    with folder():  # where schemathesis leaves its notes
        run(
            PROGRAMS / "schemathesis", "--no-color", "run", DOCUMENT, "--url", service.url,
            "--phases", "examples,coverage,fuzzing", "--max-examples", "40", "--warnings", "off",
            "--seed", "1", "--generation-deterministic", "--request-timeout", "40", *options,
            timeout=110,
        )  # fmt: skip


@step("hundreds of odd requests are answered as openapi.yaml says", seconds=240)
def conforms():
    history = "/v1/locations/history"
    with Service(f"{TRACK}?rate=max&loop=false", "demo=sim:") as service:
        # The stream is endless by nature: it has the step before this one.
        conform(service, "--exclude-path", "/v1/locations", "--exclude-path", history)
        # No schema can say which ids for `since` were given.
        conform(service, "--include-path", history, "--exclude-checks", "positive_data_acceptance")


@step("decode gives a track's points as fixes, and check the report that openapi.yaml describes")
def track_commands():
    fixes = [json.loads(line) for line in run(BINARY, "decode", TRACK).stdout.splitlines()]
    for fix in fixes:
        validator("Fix").validate(fix)
    report = json.loads(run(BINARY, "check", "--json", "--strict", TRACK).stdout)
    validator("Report").validate(report)
    expect((report["points"], report["fixes"], len(fixes)), (120, 120, 120), "points and fixes")


@step("the README names each option with its default, and --help the same")
def options():
    table = re.findall(
        r"^\| `(--[a-z-]+)[^`]*`[^|]*(?:\\\|[^|]*)*\| `?([^|`]+)`? \|",
        (ROOT / "README.md").read_text(),
        re.MULTILINE,
    )
    texts = run(BINARY, "serve", "--help").stdout
    told = re.findall(r"^  (--[a-z-]+) .*\n.*\[([^\]]*)\]$", texts, re.MULTILINE)
    expect(sorted(told), sorted(table), "options and defaults of --help, beside the README's")
