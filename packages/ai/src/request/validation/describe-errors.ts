/** Describes wrong arguments for a model to read: a validator's errors, one line each, and a shortened text. */
import type { ErrorObject } from "ajv";
import { cutText } from "../../errors.js";
import { shortenText } from "../../utils/shorten-text.js";

/** Maximum number of listed errors. A model corrects its values from the first ones. */
const MAX_ERRORS = 50;
/** The longest line of an error, in characters. It can contain property names of any length, chosen by the model. */
const MAX_LINE = 300;
const MAX_NAME = 100;

/** Where a value does not fit, such as `edits.0.path`, and why. The whole value has an empty path. */
export type Fault = readonly [path: string, problem: string];

/** The first faults, of which the caller knows the number. */
export function describeErrors(errors: readonly ErrorObject[]): Fault[] {
  return errors.slice(0, MAX_ERRORS).map((error) => [describePath(error), describeProblem(error)]);
}

/** Names a property that is not allowed. The model chose the name, so it is quoted and bounded. */
function describeProblem({ message = "is invalid", params }: ErrorObject): string {
  const name: unknown = params["additionalProperty"] ?? params["unevaluatedProperty"];
  return typeof name === "string" ? `${message}: ${JSON.stringify(cutText(name, MAX_NAME))}` : message;
}

/**
 * Returns a bounded number of lines of bounded length.
 *
 * @param count the number of all faults, if only the first are given
 */
export function toLines(faults: readonly Fault[], count: number = faults.length): string[] {
  const lines = faults
    .slice(0, MAX_ERRORS)
    .map(([path, problem]) => cutText(`${path || "root"}: ${problem}`, MAX_LINE));
  const rest = count - lines.length;
  return rest > 0 ? [...lines, `… and ${rest} more`] : lines;
}

/**
 * Finds a number that overflowed to infinity in JSON text, such as 1e999. A schema cannot find it: every schema that
 * allows a number accepts it.
 */
export function describeInfinite(value: unknown): Fault | undefined {
  const path = findInfinite(value);
  return path && [path.join("."), "must be a number that is not too large to represent"];
}

function findInfinite(value: unknown): string[] | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : [];
  if (typeof value !== "object" || value === null) return undefined;
  for (const key of Object.keys(value)) {
    const path = findInfinite(Reflect.get(value, key));
    if (path) return [key, ...path];
  }
  return undefined;
}

/** Where an error is, such as `edits.0.path`. Names a missing property. */
function describePath(error: ErrorObject): string {
  const path = error.instancePath.split("/").slice(1).map(decodeSegment);
  const missing: unknown = error.params["missingProperty"];
  if (error.keyword === "required" && typeof missing === "string") path.push(missing);
  return path.join(".");
}

function decodeSegment(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** In characters: enough to recognize the text, and small compared with a context window. */
const MAX_LENGTH = 2048;

/**
 * The head and the tail of a long text with a note between them. A text of at most 2,048 characters is returned
 * unchanged.
 */
export function clipText(text: string): string {
  const half = MAX_LENGTH / 2;
  const mark = (missing: number): string => `\n… (${missing} characters left out) …\n`;
  return shortenText(text, MAX_LENGTH, { head: half, tail: half, mark });
}
