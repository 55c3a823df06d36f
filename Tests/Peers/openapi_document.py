"""An OpenAPI document as a judge over what is sent and answered."""

import copy
import json
import re
import urllib.parse

from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012


def pointer(*parts):
    return "#/" + "/".join(urllib.parse.quote(str(part).replace("~", "~0").replace("/", "~1")) for part in parts)


class Document:
    """The document, its operations by name, and judgement over what is sent and answered."""

    def __init__(self, content):
        self.content = content
        self.registry = Registry().with_resource("urn:document", DRAFT202012.create_resource(content))
        self.operations = {
            operation["operationId"]: (method, path)
            for path, item in content["paths"].items() for method, operation in item.items() if method != "parameters"}

    def faults(self, place, instance):
        """Why an instance is not what the schema at a place of the document says; empty where it is."""
        schema = {"$ref": "urn:document" + place}
        validator = Draft202012Validator(schema, registry=self.registry, format_checker=Draft202012Validator.FORMAT_CHECKER)
        return [f"{list(error.absolute_path)}: {error.message[:200]}" for error in validator.iter_errors(instance)]

    def resolved(self, *place):
        """The place of a thing, or of what its `$ref` names, and the thing."""
        thing = self.content
        for part in place:
            thing = thing[part]
        if "$ref" in thing:
            return self.resolved(*thing["$ref"].removeprefix("#/").split("/"))
        return place, thing

    def body_schema(self, name):
        method, path = self.operations[name]
        if "requestBody" not in self.content["paths"][path][method]:
            return None
        return self.resolved("paths", path, method, "requestBody", "content", "application/json", "schema")[1]

    def judge(self, name, status, media, body):
        """What of an answer is not as the document says."""
        method, path = self.operations[name]
        if str(status) not in self.content["paths"][path][method]["responses"]:
            return [f"status {status} is not in the document"]
        place, response = self.resolved("paths", path, method, "responses", str(status))
        if "content" not in response:
            return [] if not body else ["the document says that there is no content"]
        if media not in response["content"]:
            return [f"{media} is not in the document"]
        if media == "application/x-ndjson" and "schema" in response["content"][media]:
            # The names of what a line may be stand in the words about it: items first, then what marks the end of a page.
            item, mark = re.findall(r"\w+", response["content"][media]["schema"]["description"].split(": ")[1].replace(" or ", " "))
            lines = [json.loads(line) for line in body.splitlines()]
            return [fault for line in lines for fault in self.faults(pointer("components", "schemas", mark if "export" in line else item), line)]
        if not media.endswith("json") or "schema" not in response["content"][media]:
            return []
        return self.faults(pointer(*place, "content", media, "schema"), json.loads(body))


def closed(content):
    """The document with answers that may have nothing in them which it does not name. For readers it stays open: answers may get more members."""
    content = copy.deepcopy(content)

    def close(schema, is_part=False):
        if not isinstance(schema, dict):
            return
        for key, value in schema.items():
            if key == "properties":
                for member in value.values():
                    close(member)
            elif key == "allOf":
                for part in value:
                    close(part, is_part=True)
            elif key == "items":
                close(value)
        if not is_part and ("$ref" in schema or "allOf" in schema or "properties" in schema) and "additionalProperties" not in schema:
            schema["unevaluatedProperties"] = False

    for schema in content["components"]["schemas"].values():
        close(schema, is_part=True)
    answers = list(content["components"].get("responses", {}).values())
    for item in content["paths"].values():
        for method, operation in item.items():
            if method != "parameters":
                answers += operation["responses"].values()
    for answer in answers:
        for media in answer.get("content", {}).values():
            close(media.get("schema"))
    return content
