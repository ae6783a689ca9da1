/** Reads a file that the libraries have written. */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Run } from "../record/run.js";
import { readCassette } from "./cassette.js";
import { readLines } from "./read-lines.js";
import { readSessionLog } from "./session-log.js";

/**
 * Reads a session log or a cassette.
 *
 * @throws Error when the file cannot be read, or is neither
 */
export async function readRecording(file: string): Promise<Run[]> {
  const text = await readFile(file, "utf8");
  const lines = readLines(text);
  const types = new Set(lines.map(({ fields }) => fields["type"]));
  const source = basename(file);
  if (types.has("request")) return readCassette(lines, source, text);
  if (types.has("session") || types.has("message")) return readSessionLog(lines, source);
  throw new Error(`${source} is neither a session log nor a cassette`);
}
