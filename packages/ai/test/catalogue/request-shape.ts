/** Describes what is sent for a model, field by field, in a form that many models share. */
import { Buffer } from "node:buffer";
import type { Model } from "pi-ai";
import type { WireRequest } from "pi-ai/adapter";

/** Fields whose text comes from the test, so that only the structure counts. */
const OUTLINED = new Set(["messages", "input", "contents", "system", "systemInstruction", "instructions"]);
const CONVERSATIONS = new Set(["messages", "input", "contents"]);
/** Values that name the type of a message part. */
const NAMED = new Set(["type", "role", "thought", "status", "ttl", "format"]);
const SCHEMAS = new Set(["parameters", "parametersJsonSchema", "input_schema", "json"]);
const LIMIT = /"(max_?tokens|max_?output_?tokens|max_completion_tokens)":\d+/gi;

/** Each field of the request as text. Values of the model (its id, its limits) are named instead of shown. */
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

/** A conversation is described message by message, because models differ in single messages. */
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

/** The schema of a tool does not depend on the model. */
function withoutSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSchema);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, SCHEMAS.has(name) ? "<schema>" : withoutSchema(inner)]),
  );
}

/** The structure of a message: its fields and roles without its texts. */
function outline(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(outline);
  if (Buffer.isBuffer(value)) return "…";
  if (typeof value !== "object" || value === null) return value === null ? null : "…";
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, NAMED.has(name) ? inner : outline(inner)]),
  );
}
