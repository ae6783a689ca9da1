/** Reads chunks whose fields are in snake case, as gateways write them that pass on the types of Google's Python SDK. */
import { isRecord } from "../../utils/is-object.js";

type Fields = Record<string, unknown>;

/** What a model, a tool or a user has written keeps its names. */
const FOREIGN: ReadonlySet<string> = new Set(["args", "arguments", "response", "struct_value"]);
/** Deeper than any field of a chunk. */
const MAX_DEPTH = 8;

/** The chunk with the names of Google's JSON; the chunk itself if it has them. */
export function withCamelCase(chunk: Fields): Fields {
  const candidates = Array.isArray(chunk["candidates"]) ? chunk["candidates"] : [];
  const first: unknown = candidates[0];
  const content = isRecord(first) ? first["content"] : undefined;
  const parts = isRecord(content) && Array.isArray(content["parts"]) ? content["parts"] : [];
  return [chunk, first, ...parts].some(isSnake) ? renamed(chunk, 0) : chunk;
}

function isSnake(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).some((name) => name.includes("_"));
}

function renamed(fields: Fields, depth: number): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replace(/(?<=[a-z\d])_([a-z\d])/g, (_, letter: string) => letter.toUpperCase()),
      FOREIGN.has(name) || depth >= MAX_DEPTH ? value : renamedIn(value, depth + 1),
    ]),
  );
}

function renamedIn(value: unknown, depth: number): unknown {
  if (Array.isArray(value)) return value.map((entry) => (isRecord(entry) ? renamed(entry, depth) : entry));
  return isRecord(value) ? renamed(value, depth) : value;
}
