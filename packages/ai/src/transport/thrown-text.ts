/** The text of an error of other code, such as a tool or a hook. It may quote credentials, and go to a model. */
import { attempt } from "../utils/diagnostics.js";
import { redact } from "../utils/redact.js";
import { shortenText } from "../utils/shorten-text.js";
import { visibleText } from "../utils/visible-text.js";

/** Longer texts lose their middle: the beginning names the error, the end often gives its cause. In characters. */
export const MAX_THROWN_TEXT = 2048;

/** The longest code, in characters. A longer text is something else. */
const MAX_CODE = 100;

/** Credentials that the run does not know, in the forms in which error texts quote them. */
const CREDENTIALS: readonly RegExp[] = [
  /(?<=\b(?:bearer|basic)\s{1,8})[\w.~+/=-]{16,}/gi,
  /(?<=\/\/[^\s:@/]{0,256}:)[^\s@/]{1,256}(?=@)/g,
  /(?<=(?:api[-_]?key|access[-_]?key|account[-_]?key|token|secret|signature|\bsig|password|passwd|pwd)=)[^\s&;"',]{6,}/gi,
  /\b(?:sk|pk|rk)-[\w-]{16,}|\b[spr]k_(?:live|test)_\w{16,}|\bxox[abprs]-[\w-]{10,}|\bAIza[\w-]{30,}|\bA[KS]IA[0-9A-Z]{16}\b/g,
  /\b(?:gh[pousr]|github_pat|hf|gsk|npm)_\w{20,}|\bglpat-[\w-]{16,}|\bya29\.[\w-]{16,}/g,
  // A JSON web token. From the beginning of its run of characters, because each `-eyJ` in it would begin an attempt that reads the rest.
  /(?<![\w-])(?=(?:[\w-]*-)?eyJ[\w-]{8})[\w-]+\.[\w-]{8,}(?:\.[\w-]*)?/g,
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,8000}(?:-----END [A-Z ]{0,30}-----)?/g,
];

/**
 * The error's own text: its message, or the result of a `toString` of its own; without one, its type. Never the JSON of an
 * object, which may hold any data. At most {@link MAX_THROWN_TEXT} characters, without secrets, and with control characters
 * written out. Never throws, and is never empty.
 *
 * @param secrets values that must not appear
 */
export function describeThrown(thrown: unknown, secrets: readonly string[]): string {
  const own = attempt(() => readMessage(thrown)) || attempt(() => toText(thrown));
  const { text: read, left } = withoutMiddle(own || `failed without a message (${typeName(thrown)})`);
  return cutMiddle(toShown(read, secrets), left);
}

function toShown(read: string, secrets: readonly string[]): string {
  let text = visibleText(redact(read, secrets));
  for (const pattern of CREDENTIALS) text = text.replace(pattern, "[redacted]");
  return text;
}

/**
 * The code of an error or of another thrown object, such as `ENOENT`: without secrets, and with control characters written out.
 *
 * @param secrets values that must not appear
 */
export function readCode(thrown: unknown, secrets: readonly string[]): string | number | undefined {
  const code = attempt(() =>
    typeof thrown === "object" && thrown !== null && "code" in thrown ? thrown.code : undefined,
  );
  if (typeof code === "string" && code.length <= MAX_CODE) return toShown(code, secrets);
  return typeof code === "number" ? code : undefined;
}

function readMessage(thrown: unknown): string | undefined {
  const { message, cause }: Partial<Error> = Object(thrown);
  if (typeof message !== "string") return undefined;
  // Alone, it says nothing. Other causes stay private: an error that wraps one has chosen its words.
  return message === "fetch failed" && cause instanceof Error ? `${message}: ${cause.message}` : message;
}

/** Not the text of an array, which would contain all of its elements, nor that which every object has. */
function toText(thrown: unknown): string | undefined {
  if (thrown === undefined || thrown === null || Array.isArray(thrown) || thrown instanceof Error) return undefined;
  const text = String(thrown);
  return text.startsWith("[object ") ? undefined : text;
}

/** The class of an object, else the type. */
function typeName(thrown: unknown): string {
  if (typeof thrown !== "object" || thrown === null) return thrown === null ? "null" : typeof thrown;
  const name = attempt(() => (thrown instanceof Error ? thrown.name : undefined) || thrown.constructor.name);
  return typeof name === "string" && name !== "" ? name : "object";
}

/** The characters of each end of a text that are read. A secret across this cut is far from what is kept. */
const READ_LENGTH = 16 * 1024;

/** The part that is cut is not searched: a tool may throw 200 MB. */
function withoutMiddle(text: string): { text: string; left: number } {
  const left = text.length - 2 * READ_LENGTH;
  if (left <= 0) return { text, left: 0 };
  return { text: `${text.slice(0, READ_LENGTH)}${text.slice(-READ_LENGTH)}`, left };
}

/** @param left how many characters of the middle are not in the text */
function cutMiddle(text: string, left: number): string {
  const mark = ` … (${text.length + left - MAX_THROWN_TEXT} characters cut) … `;
  const kept = MAX_THROWN_TEXT - mark.length;
  return shortenText(text, MAX_THROWN_TEXT, {
    head: Math.ceil(kept / 2),
    tail: Math.floor(kept / 2),
    mark: () => mark,
  });
}
