/** Reads recorded responses in place; they are not part of this repository. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { testsOf } from "../protocols/all-apis.js";
import { encodeAwsEvent } from "../support/aws-frames.js";
import type { RecordedError, RecordingFacts, Truth } from "./truth.js";

export interface StreamRecording {
  kind: "stream";
  api: string;
  name: string;
  facts: RecordingFacts;
  truth: Truth;
  /** The body as recorded, or AWS frames built from its events if only those were kept. */
  body: Buffer;
  /** The body's events in frames built here, if the recorded frames are known too. */
  reframed?: Buffer;
}

export interface ErrorRecording {
  kind: "error";
  api: string;
  name: string;
  facts: RecordedError;
  body: Buffer;
}

export type Recording = StreamRecording | ErrorRecording;

const ROOT = resolve(fileURLToPath(import.meta.url), "../../../../..");

/** The folder of recordings: `PI_WIRE_DIR`, else `../shared/wire` beside the repository. It may be missing. */
// biome-ignore lint/style/noProcessEnv: a test's own setting, not the library's.
export const RECORDINGS_DIR: string = process.env["PI_WIRE_DIR"] || resolve(ROOT, "../shared/wire");

/** All recordings of an api in the order of their names, streams first; empty if the folder is missing. */
export function readRecordings(api: string, root: string = RECORDINGS_DIR): Recording[] {
  const name = testsOf(api).recordings?.folder;
  const folder = name === undefined ? "" : join(root, name);
  if (folder === "" || !existsSync(folder)) return [];
  const files = new Set(readdirSync(folder).sort());
  const named = (ending: string): string[] =>
    Array.from(files)
      .filter((file) => file.endsWith(ending))
      .map((file) => file.slice(0, -ending.length));
  return [
    ...named(".expected.json").map((name) => readStream(api, folder, name)),
    ...named(".error.json").map((name) => readError(api, folder, name)),
  ];
}

function readStream(api: string, folder: string, name: string): StreamRecording {
  const path = (ending: string): string => join(folder, `${name}${ending}`);
  const recording = {
    kind: "stream",
    api,
    name,
    facts: readJson(path(".meta.json")) as RecordingFacts, // the folder's README describes it
    truth: readJson(path(".expected.json")) as Truth, // see above
  } as const;
  if (!existsSync(path(".jsonl"))) return { ...recording, body: readFileSync(path(".sse")) };
  const lines = readFileSync(path(".jsonl"), "utf8").split("\n");
  const made = Buffer.concat(
    lines.filter((line) => line.trim() !== "").map((line) => encodeAwsEvent(JSON.parse(line))),
  );
  if (!existsSync(path(".wire.json"))) return { ...recording, body: made };
  const { base64 } = readJson(path(".wire.json")) as { base64: string }; // see above
  return { ...recording, body: Buffer.from(base64, "base64"), reframed: made };
}

function readError(api: string, folder: string, name: string): ErrorRecording {
  const facts = readJson(join(folder, `${name}.error.json`)) as RecordedError; // see above
  const body = Buffer.from(facts.bodyText ?? JSON.stringify(facts.body ?? ""));
  return { kind: "error", api, name, facts, body };
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}
