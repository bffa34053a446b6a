"""docs/openapi.json is what the server does: every path, method, status and field of it is seen here."""
import json
import pathlib
import subprocess

import support
from support import Server, ServerTest, request, receive_answer

TOKEN = "0123456789abcdef"


def described():
    return json.loads((support.SOURCE / "docs/openapi.json").read_text(encoding="utf-8"))


class Checker:
    """Holds values against schemas and notes which fields were seen."""

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

    def faults(self, value, schema, where="body"):
        """What is wrong with the value, as texts."""
        schema = self.resolve(schema)
        if value is None and schema.get("nullable"):
            return []
        for one in schema.get("allOf", []):
            return self.faults(value, one, where)
        if "oneOf" in schema:
            found = [self.faults(value, one, where) for one in schema["oneOf"]]
            return [] if sum(not each for each in found) == 1 else [f"{where}: fits not one of {len(found)}: {found}"]
        if "enum" in schema and value not in schema["enum"]:
            return [f"{where}: {value} is not one of {schema['enum']}"]
        kinds = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict}
        kind = kinds[schema["type"]]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            return [f"{where}: {value!r} is no {schema['type']}"]
        if schema["type"] == "array":
            return [fault for i, one in enumerate(value) for fault in self.faults(one, schema["items"], f"{where}[{i}]")]
        return self.object_faults(value, schema, where) if schema["type"] == "object" else []

    def object_faults(self, value, schema, where):
        properties = schema.get("properties", {})
        found = [f"{where}: {name} is missing" for name in schema.get("required", []) if name not in value]
        for name, one in value.items():
            if name in properties:
                self.seen.add((schema.get("name"), name))
                found += self.faults(one, properties[name], f"{where}.{name}")
            elif schema.get("additionalProperties") is False:
                found.append(f"{where}: {name} is not described")
        return found


def models():
    return [support.MODEL] + [support.path(name + ".skim") for name in ("cloze", "span", "bidaf")]


READ = {"text": "good film", "words": True, "passes": True}
QUESTION = {"text": "zxba zxdo zxfe", "question": "zxgu zxhi", "words": True, "passes": True}
GOOD = [
    READ | {"threshold": 0.5, "model": "planted"},
    READ | {"budget": 0.5},
    QUESTION | {"model": "cloze", "choices": ["zxba", "zxdo"]},
    QUESTION | {"model": "span"},
    QUESTION | {"model": "bidaf"},
]
GOOD_BATCHES = [
    {"texts": ["good", "bad", 1], "threshold": 0.5, "words": True, "passes": True, "model": "planted"},
    {"texts": ["good"], "budget": 0.5},
    {"queries": [{"text": "zxba", "question": "zxdo", "choices": ["zxba"]}, {}], "model": "cloze"},
]
BAD = {
    "/v1/read": {400: b"{", 413: b"a" * 2_000_000, 415: b"{}", 422: json.dumps({"text": "a", "threshold": 2}).encode()},
    "/v1/read/batch": {400: b"{}", 413: b"a" * 2_000_000, 415: b"{}",
                       422: json.dumps({"texts": ["a"] * 300}).encode()},
}


class Description(ServerTest):
    def setUp(self):
        self.document = described()
        self.checker = Checker(self.document)
        self.answered = set()  # path, method, status

    def check(self, method, target, answer):
        """The answer is one that the description has, in status, type and every field."""
        self.answered.add((target, method.lower(), str(answer.status)))
        operation = self.document["paths"][target][method.lower()]
        self.assertIn(str(answer.status), operation["responses"], (method, target, answer.body))
        response = self.checker.resolve(operation["responses"][str(answer.status)])
        for name in response.get("headers", {}):
            self.assertIn(name, answer.headers)
        if "content" not in response:
            self.assertEqual(answer.body, b"")
            return
        ((kind, content),) = response["content"].items()
        self.assertEqual(answer.headers["Content-Type"].split(";")[0], kind)
        value = answer.json if kind == "application/json" else answer.body.decode()
        self.assertEqual(self.checker.faults(value, content["schema"]), [])

    def ask(self, server, method, target, body=None, **headers):
        answer = server.ask(method, target, body, Authorization="Bearer " + TOKEN, **headers)
        self.check(method, target, answer)
        return answer

    def ask_everything(self, server):
        etag = self.ask(server, "GET", "/").headers["ETag"]
        self.ask(server, "GET", "/", If_None_Match=etag)
        for target in ("/healthz", "/metrics", "/v1/openapi.json", "/v1/models"):
            self.ask(server, "GET", target)
        for target, bodies in (("/v1/read", GOOD), ("/v1/read/batch", GOOD_BATCHES)):
            schema = {"$ref": "#/components/schemas/" + ("ReadRequest" if target == "/v1/read" else "BatchRequest")}
            for body in bodies:
                self.checker.faults(body, schema)
                self.assertEqual(self.ask(server, "POST", target, body).status, 200)
            for status, body in BAD[target].items():
                kind = "text/plain" if status == 415 else "application/json"
                self.assertEqual(self.ask(server, "POST", target, body, Content_Type=kind).status, status)
        for target in ("/metrics", "/v1/openapi.json", "/v1/models", "/v1/read", "/v1/read/batch"):
            method = "POST" if "read" in target else "GET"
            self.check(method, target, server.ask(method, target))
        # An unknown field is blamed by its name.
        self.ask(server, "POST", "/v1/read", {"text": "a", "other": 1})

    def ask_when_busy(self):
        options = ("--threads", 1, "--queue", 1, "--max-body", 50_000_000, "--max-text", 1_000_000)
        with Server(*options) as server:
            body = support.slow_body(server, 1)
            busy = [server.connect(), server.connect()]
            for i, connection in enumerate(busy):
                connection.sendall(request("/v1/read/batch", body))
                server.until("skim_in_flight", 1)
                server.until("skim_queue", i)
            for target in ("/v1/read", "/v1/read/batch"):
                with server.connect() as connection, connection.makefile("rb") as stream:
                    connection.sendall(request(target, {"text": "a"}))
                    self.check("POST", target, receive_answer(stream))
            for connection in busy:
                connection.close()

    def test_describes_all_that_the_server_does_and_nothing_else(self):
        pathlib.Path(support.path("token")).write_text(TOKEN)
        with Server("--token-file", support.path("token"), models=models()) as server:
            self.ask_everything(server)
        self.ask_when_busy()
        promised = {(target, method, status) for target, methods in self.document["paths"].items()
                    for method, operation in methods.items() for status in operation["responses"]}
        self.assertEqual(self.answered, promised)
        schemas = self.document["components"]["schemas"]
        fields = {(name, field) for name, schema in schemas.items() for field in schema.get("properties", {})}
        self.assertEqual(fields - self.checker.seen, set())

    def test_is_what_the_server_hands_out_and_has_its_version(self):
        with Server() as server:
            self.assertEqual(server.ask("GET", "/v1/openapi.json").json, self.document)
        version = subprocess.run([support.SKIM, "--version"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(version.split()[-1], self.document["info"]["version"])

    def test_the_checker_finds_faults(self):
        word = {"$ref": "#/components/schemas/Word"}
        good = {"text": "a", "begin": 0, "end": 1}
        self.assertEqual(self.checker.faults(good, word), [])
        for bad in (good | {"more": 1}, good | {"begin": "0"}, good | {"begin": True}, {"text": "a", "begin": 0}, []):
            self.assertNotEqual(self.checker.faults(bad, word), [])
