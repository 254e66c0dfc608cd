#!/usr/bin/python3
"""Every YAML file in data/ that names a schema meets it: intervox/scene/1 is
data/schema/scene.schema.json, and so on for other kinds. Usage: schemas.py [TREE]"""

import json

import jsonschema
import yaml

import sources


class Loader(yaml.SafeLoader):
    """YAML with the numbers that the program's reader takes, such as 250e-6."""


Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    __import__("re").compile(r"^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)$|^[-+]?\d+\.\d*$"),
    list("-+0123456789."))


def check(base):
    problems = []
    for path in sorted((base / "data" / "schema").glob("*.json")):
        try:
            jsonschema.Draft7Validator.check_schema(json.loads(path.read_text()))
        except (ValueError, jsonschema.SchemaError) as error:
            problems.append(f"{path.relative_to(base)}: not a JSON Schema: {str(error).splitlines()[0]}")
    if problems:
        return problems
    for path in sources.files(base, ["data"], {".yaml", ".yml"}):
        where = path.relative_to(base)
        try:
            document = yaml.load(path.read_text(), Loader)
        except yaml.YAMLError as error:
            problems.append(f"{where}: not YAML: {error}")
            continue
        name = document.get("schema") if isinstance(document, dict) else None
        if not isinstance(name, str):
            continue
        kind = name.split("/")[1] if name.count("/") == 2 else name
        schema = base / "data" / "schema" / f"{kind}.schema.json"
        if not schema.exists():
            problems.append(f"{where}: schema '{name}', but there is no {schema.relative_to(base)}")
            continue
        validator = jsonschema.Draft7Validator(json.loads(schema.read_text()))
        for error in sorted(validator.iter_errors(document), key=lambda e: list(map(str, e.path))):
            place = "/".join(map(str, error.path)) or "(top)"
            problems.append(f"{where}: {place}: {error.message[:200]}")
    return problems


sources.report(check(sources.root()), "schemas")
