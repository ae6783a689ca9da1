/** What is sent for a model, field by field, in a form that many models share. */
import { Buffer } from "node:buffer";
import type { WireRequest } from "../../src/transport/wire-request.js";
import type { Model } from "../../src/types/model.js";

/** Fields whose words are a test's own, and of which only the structure counts. */
const OUTLINED = new Set(["messages", "input", "contents", "system", "systemInstruction", "instructions"]);
const CONVERSATIONS = new Set(["messages", "input", "contents"]);
/** Values that say what a part of a message is. */
const NAMED = new Set(["type", "role", "thought", "status", "ttl", "format"]);
const SCHEMAS = new Set(["parameters", "parametersJsonSchema", "input_schema", "json"]);
const LIMIT = /"(max_?tokens|max_?output_?tokens|max_completion_tokens)":\d+/gi;

/** Each field of the request as text; what is a model's own (its id, its limits) is named, not shown. */
export function describeRequest(request: WireRequest, model: Model): Map<string, string> {
  const fields = new Map<string, string>();
  const headers = Object.keys(request.headers).filter((name) => name !== "user-agent");
  fields.set("path", decodeURIComponent(request.path));
  fields.set("headers", headers.join(" ") || "none");
  fields.set("key", request.bearerToken === undefined ? "as the SDK sends it" : "bearer token");
  for (const [name, value] of Object.entries(request.body as object)) addField(fields, name, value);
  return new Map(
    Array.from(fields, ([name, text]) => [name, text.replaceAll(model.id, "<model>").replaceAll('"', "")]),
  );
}

/** A conversation is described message by message: models differ in one or another of them. */
function addField(fields: Map<string, string>, name: string, value: unknown): void {
  if (value === undefined) return;
  if (name === "request") for (const [inner, part] of Object.entries(value as object)) addField(fields, inner, part);
  else if (CONVERSATIONS.has(name) && Array.isArray(value)) {
    for (const [index, message] of value.entries())
      fields.set(`${name} ${index + 1}`, JSON.stringify(outline(message)));
  } else {
    const shown = JSON.stringify({ [name]: OUTLINED.has(name) ? outline(value) : withoutSchema(value) });
    fields.set(name, shown.replaceAll(LIMIT, '"$1":<limit>').slice(name.length + 4, -1));
  }
}

/** A tool's schema says nothing about a model. */
function withoutSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSchema);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, SCHEMAS.has(name) ? "<schema>" : withoutSchema(inner)]),
  );
}

/** The structure of a message: its fields and roles without its words. */
function outline(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(outline);
  if (Buffer.isBuffer(value)) return "…";
  if (typeof value !== "object" || value === null) return value === null ? null : "…";
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, NAMED.has(name) ? inner : outline(inner)]),
  );
}
