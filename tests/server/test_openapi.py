"""docs/openapi.json matches the server in every path, method, status and field."""
import json
import pathlib
import subprocess

import support
from model_bytes import write_overflowing
from support import Server, ServerTest, request_bytes, receive_response

TOKEN = "0123456789abcdef"


def load_document():
    return json.loads((support.SOURCE / "docs/openapi.json").read_text(encoding="utf-8"))


class SchemaChecker:
    """Validates values against schemas and records which fields occurred."""

    def __init__(self, document):
        self.document = document
        self.seen = set()

    def resolve(self, node):
        while "$ref" in node:
            target = self.document
            for part in node["$ref"].removeprefix("#/").split("/"):
                target = target[part]
            node = dict(target, **{"name": node["$ref"].rsplit("/", 1)[1]})
        return node

    def errors(self, value, schema, where="body"):
        """The validation errors of a value."""
        schema = self.resolve(schema)
        if value is None and schema.get("nullable"):
            return []
        for one in schema.get("allOf", []):
            return self.errors(value, one, where)
        if "oneOf" in schema:
            found = [self.errors(value, one, where) for one in schema["oneOf"]]
            matches = sum(not each for each in found)
            return [] if matches == 1 else [f"{where}: matches {matches} of {len(found)} schemas: {found}"]
        if "enum" in schema and value not in schema["enum"]:
            return [f"{where}: {value} is not one of {schema['enum']}"]
        kinds = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict}
        kind = kinds[schema["type"]]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            return [f"{where}: {value!r} is not of type {schema['type']}"]
        if schema["type"] == "array":
            return [error for i, one in enumerate(value) for error in self.errors(one, schema["items"], f"{where}[{i}]")]
        return self.object_errors(value, schema, where) if schema["type"] == "object" else []

    def object_errors(self, value, schema, where):
        properties = schema.get("properties", {})
        found = [f"{where}: {name} is missing" for name in schema.get("required", []) if name not in value]
        for name, one in value.items():
            if name in properties:
                self.seen.add((schema.get("name"), name))
                found += self.errors(one, properties[name], f"{where}.{name}")
            elif schema.get("additionalProperties") is False:
                found.append(f"{where}: {name} is not in the schema")
        return found


def models():
    return [support.MODEL] + [support.path(name + ".skim") for name in ("cloze", "span", "bidaf", "multilabel", "number")]


READ = {"text": "good film", "words": True, "passes": True}
QUESTION = {"text": "zxba zxdo zxfe", "question": "zxgu zxhi", "words": True, "passes": True}
GOOD = [
    READ | {"threshold": 0.5, "model": "planted"},
    READ | {"budget": 0.5, "abstain": 0.8, "confident": 0.9},
    QUESTION | {"model": "cloze", "choices": ["zxba", "zxdo"]},
    QUESTION | {"model": "span"},
    QUESTION | {"model": "bidaf"},
    READ | {"model": "multilabel"},
    READ | {"model": "number"},
]
GOOD_BATCHES = [
    {"texts": ["good", "bad", 1], "threshold": 0.5, "words": True, "passes": True, "model": "planted"},
    {"texts": ["good"], "budget": 0.5, "abstain": 0.8, "confident": 0.9, "together": False},
    {"queries": [{"text": "zxba", "question": "zxdo", "choices": ["zxba"]}, {}], "model": "cloze"},
]
BAD = {
    "/v1/read": {400: b"{", 413: b"a" * 2_000_000, 415: b"{}", 422: json.dumps({"text": "a", "threshold": 2}).encode()},
    "/v1/read/batch": {400: b"{}", 413: b"a" * 2_000_000, 415: b"{}",
                       422: json.dumps({"texts": ["a"] * 300}).encode()},
}


class OpenApi(ServerTest):
    def setUp(self):
        self.document = load_document()
        self.checker = SchemaChecker(self.document)
        self.seen = set()  # path, method, status

    def check(self, method, target, response):
        """Checks status, content type and every field of a response against the document."""
        self.seen.add((target, method.lower(), str(response.status)))
        operation = self.document["paths"][target][method.lower()]
        self.assertIn(str(response.status), operation["responses"], (method, target, response.body))
        documented = self.checker.resolve(operation["responses"][str(response.status)])
        for name in documented.get("headers", {}):
            self.assertIn(name, response.headers)
        if "content" not in documented:
            self.assertEqual(response.body, b"")
            return
        ((kind, content),) = documented["content"].items()
        self.assertEqual(response.headers["Content-Type"].split(";")[0], kind)
        value = response.json if kind == "application/json" else response.body.decode()
        self.assertEqual(self.checker.errors(value, content["schema"]), [])

    def request(self, server, method, target, body=None, **headers):
        response = server.request(method, target, body, Authorization="Bearer " + TOKEN, **headers)
        self.check(method, target, response)
        return response

    def request_everything(self, server):
        etag = self.request(server, "GET", "/").headers["ETag"]
        self.request(server, "GET", "/", If_None_Match=etag)
        for target in ("/healthz", "/metrics", "/v1/openapi.json", "/v1/models"):
            self.request(server, "GET", target)
        for target, bodies in (("/v1/read", GOOD), ("/v1/read/batch", GOOD_BATCHES)):
            schema = {"$ref": "#/components/schemas/" + ("ReadRequest" if target == "/v1/read" else "BatchRequest")}
            for body in bodies:
                self.checker.errors(body, schema)
                self.assertEqual(self.request(server, "POST", target, body).status, 200)
            for status, body in BAD[target].items():
                kind = "text/plain" if status == 415 else "application/json"
                self.assertEqual(self.request(server, "POST", target, body, Content_Type=kind).status, status)
        for target in ("/metrics", "/v1/openapi.json", "/v1/models", "/v1/read", "/v1/read/batch"):
            method = "POST" if "read" in target else "GET"
            self.check(method, target, server.request(method, target))
        # The error of an unknown field names it.
        self.request(server, "POST", "/v1/read", {"text": "a", "other": 1})

    def request_when_busy(self):
        options = ("--threads", 1, "--queue", 1, "--max-body", 50_000_000, "--max-text", 1_000_000)
        with Server(*options) as server:
            body = support.slow_body(server, 1)
            busy = [server.connect(), server.connect()]
            for i, connection in enumerate(busy):
                connection.sendall(request_bytes("/v1/read/batch", body))
                server.until("skim_requests_in_flight", 1)
                server.until("skim_queue_depth", i)
            for target in ("/v1/read", "/v1/read/batch"):
                with server.connect() as connection, connection.makefile("rb") as stream:
                    connection.sendall(request_bytes(target, {"text": "a"}))
                    self.check("POST", target, receive_response(stream))
            for connection in busy:
                connection.close()

    def request_of_a_broken_model(self):
        name = support.path("huge.skim")
        write_overflowing(support.MODEL, name)
        # Rewriting the file makes its checksum that of the changed weights, which the server verifies.
        subprocess.run([support.SKIM, "upgrade", name], check=True, capture_output=True)
        with Server(models=[name]) as server:
            response = self.request(server, "POST", "/v1/read", {"text": "a wonderful film"})
            self.assertEqual(response.status, 500)
            self.assertNotIn(name, response.json["error"]["message"])

    def test_covers_exactly_what_the_server_does(self):
        pathlib.Path(support.path("token")).write_text(TOKEN)
        with Server("--token-file", support.path("token"), models=models()) as server:
            self.request_everything(server)
        self.request_when_busy()
        self.request_of_a_broken_model()
        documented = {(target, method, status) for target, methods in self.document["paths"].items()
                    for method, operation in methods.items() for status in operation["responses"]}
        self.assertEqual(self.seen, documented)
        schemas = self.document["components"]["schemas"]
        fields = {(name, field) for name, schema in schemas.items() for field in schema.get("properties", {})}
        self.assertEqual(fields - self.checker.seen, set())

    def test_is_served_with_the_version_of_the_program(self):
        with Server() as server:
            self.assertEqual(server.request("GET", "/v1/openapi.json").json, self.document)
        version = subprocess.run([support.SKIM, "--version"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(version.split()[-1], self.document["info"]["version"])

    def test_the_checker_finds_errors(self):
        word = {"$ref": "#/components/schemas/Word"}
        good = {"text": "a", "begin": 0, "end": 1}
        self.assertEqual(self.checker.errors(good, word), [])
        for bad in (good | {"more": 1}, good | {"begin": "0"}, good | {"begin": True}, {"text": "a", "begin": 0}, []):
            self.assertNotEqual(self.checker.errors(bad, word), [])
