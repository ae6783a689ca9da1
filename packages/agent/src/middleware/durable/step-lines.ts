/** Reads the lines of a file of steps. */
import { SessionLogError } from "../../stores/session/session-lines.js";

const NEWLINE = 0x0a;

/** A step, or the answer to an approval. */
export interface StepLine {
  name: string;
  value: unknown;
}

interface StepLines {
  /** The id in the first line; undefined for an empty file. */
  runId: string | undefined;
  lines: StepLine[];
  /** The length in bytes up to the last complete line. */
  wholeBytes: number;
  /** The number of bytes after it: an incomplete line. */
  tornBytes: number;
}

/**
 * Unlike a conversation, a run cannot be continued without one of its steps: a damaged line is an error.
 *
 * @throws SessionLogError that names the line
 */
export function parseStepLines(bytes: Uint8Array): StepLines {
  const wholeBytes = bytes.lastIndexOf(NEWLINE) + 1;
  const parsed: StepLines = { runId: undefined, lines: [], wholeBytes, tornBytes: bytes.length - wholeBytes };
  for (const [index, line] of decode(bytes.subarray(0, wholeBytes)).split("\n").entries()) {
    if (line !== "") addLine(parsed, line, index + 1);
  }
  return parsed;
}

/** Reads the answers to approvals. Any process may write one, and die meanwhile: a line that is not an answer is skipped. */
export function parseAnswers(bytes: Uint8Array): StepLine[] {
  const lines = new TextDecoder().decode(bytes.subarray(0, bytes.lastIndexOf(NEWLINE) + 1)).split("\n");
  return lines.flatMap((line) => {
    const { name, value } = parse(line);
    return typeof name === "string" ? [{ name, value }] : [];
  });
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new SessionLogError("The steps of the run are not valid UTF-8");
  }
}

function addLine(parsed: StepLines, text: string, number: number): void {
  const line = parse(text);
  const { type, version, runId, name, value }: Record<string, unknown> = line;
  if (number === 1 && type === "steps" && version === 1 && typeof runId === "string") parsed.runId = runId;
  else if (typeof name === "string") parsed.lines.push({ name, value });
  else throw new SessionLogError(`Line ${number} is not a step of a run: ${text.slice(0, 80)}`);
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
