/** Reads chunks whose fields are in snake case, as gateways write them that pass on the types of Google's Python SDK. */
import { isRecord } from "../../utils/is-object.js";

type Fields = Record<string, unknown>;

/** What a model, a tool or a user has written keeps its names. */
const FOREIGN: ReadonlySet<string> = new Set(["args", "arguments", "response", "struct_value"]);
/** Deeper than any field of a chunk. */
const MAX_DEPTH = 8;

/** The chunk with the names of Google's JSON; the chunk itself if it has them. */
export function withCamelCase(chunk: Fields): Fields {
  const { candidates } = chunk;
  const first: unknown = Array.isArray(candidates) ? candidates[0] : undefined;
  const content = isRecord(first) ? first["content"] : undefined;
  const parts = isRecord(content) ? content["parts"] : undefined;
  const isAnySnake = isSnake(chunk) || isSnake(first) || (Array.isArray(parts) && parts.some(isSnake));
  return isAnySnake ? renamed(chunk, 0) : chunk;
}

/** A loop: it looks at every chunk of a stream, and lists of names would cost a quarter of the whole. */
function isSnake(value: unknown): boolean {
  if (isRecord(value)) for (const name in value) if (name.includes("_")) return true;
  return false;
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
