/** Reads the JSON of a request's body within limits of size, time and depth. */
import { startTimer } from "../utils/duration.js";
import { LARGE_TEXT, nextTurn } from "../utils/next-turn.js";
import { isJsonDeeperThan } from "../wire/index.js";
import { Problem } from "./problem.js";

export interface BodyLimits {
  maxBodyBytes: number;
  bodyTimeoutMs: number;
  maxDepth: number;
}

/** A body, and what lets other clients have a turn between two pieces of work that each take as long as to parse it. */
export interface JsonBody {
  value: unknown;
  yieldTurn: (() => Promise<void>) | undefined;
}

/** @throws Problem 400, 408, 413 or 415 */
export async function readJsonBody(request: Request, limits: BodyLimits): Promise<JsonBody> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) throw new Problem(415, "The body must be application/json");
  if (Number(request.headers.get("content-length")) > limits.maxBodyBytes) throw tooLarge(limits.maxBodyBytes);
  const text = await readText(request, limits);
  // Checked before parsing, which recurses. Invalid JSON may therefore be reported as too deep.
  if (isJsonDeeperThan(text, limits.maxDepth)) {
    throw new Problem(400, `The body is nested deeper than ${limits.maxDepth} levels`);
  }
  const yieldTurn = text.length > LARGE_TEXT ? nextTurn : undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem(400, "The body is not valid JSON");
  }
  await yieldTurn?.();
  return { value, yieldTurn };
}

async function readText(request: Request, { maxBodyBytes, bodyTimeoutMs }: BodyLimits): Promise<string> {
  const reader = request.body?.getReader();
  if (!reader) return "";
  let late = false;
  const cancelTimer = startTimer(() => {
    late = true;
    reader.cancel().catch(() => {});
  }, bodyTimeoutMs);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const pieces: string[] = [];
  try {
    for (let bytes = 0; ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes += value.length;
      if (bytes > maxBodyBytes) throw tooLarge(maxBodyBytes);
      pieces.push(decoder.decode(value, { stream: true }));
    }
    pieces.push(decoder.decode());
  } catch (error) {
    reader.cancel().catch(() => {});
    if (!late) throw error instanceof Problem ? error : new Problem(400, "The body could not be read as UTF-8");
  } finally {
    cancelTimer();
  }
  if (late) throw new Problem(408, `The body did not arrive within ${bodyTimeoutMs} ms`);
  return pieces.join("");
}

function tooLarge(maxBodyBytes: number): Problem {
  return new Problem(413, `The body is larger than ${maxBodyBytes} bytes`);
}
