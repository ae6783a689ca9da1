/** What recordings of an api allow: its words for the end of a response, and its ways to count tokens. */
import type { ProviderStreamOptions } from "../../src/types/options.js";
import type { Truth, WireNumbers } from "./truth.js";

export interface RecordedApi {
  /** The folder of the recordings. */
  folder: string;
  /** Follows the host in the base URL. Default: empty. */
  basePath?: string;
  /** Options that every request needs. Default: none. */
  options?: ProviderStreamOptions;
  /** Default: server-sent events. */
  framing?: "aws-event-stream";
  stops: StopWords;
  /** Undefined where the wire reported no usage. `body` is the recorded one, for counts that stand apart from `usage`. */
  readUsage(usage: NonNullable<Truth["usage"]>, body?: Uint8Array): { readings: Parts[]; total?: unknown } | undefined;
  /** True where the id of a tool call may be followed by `|` and the id of its item. */
  idsMayHaveItem?: boolean;
}

export interface StopWords {
  /** The stop reason for each word. */
  words: Readonly<Record<string, string>>;
  /** For a word that is not in the table. */
  unknown: string[];
  /** For a complete response without a word. */
  missing: string[];
  /** The field that holds the word. Default: `stopReason`. */
  field?: "status";
  /** True where a response with a word is complete without the end marker. */
  isCompleteWithWord?: boolean;
  /** Where no word asks for tools: the stops that tool calls turn into `toolUse`. Default: a word asks for tools. */
  toolUseInferredFrom?: "stop" | "any stop";
}

/** Tokens by kind; no token is counted twice. */
export interface Parts {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** A cache that is reported larger than the prompt may be quoted, or cut to the prompt. */
export function withCutCache(parts: Parts, prompt: number): Parts[] {
  if (parts.cacheRead + parts.cacheWrite <= prompt) return [parts];
  return [parts, { ...parts, cacheRead: Math.max(0, prompt - parts.cacheWrite) }];
}

/** The first of the fields that is a number, else 0. */
export function count(usage: WireNumbers, ...fields: string[]): number {
  for (const field of fields) {
    const value = usage[field];
    if (typeof value === "number" && Number.isFinite(value)) return value;
  }
  return 0;
}

export function detail(usage: WireNumbers, field: string): WireNumbers {
  const value = usage[field];
  return typeof value === "object" && value !== null ? (value as WireNumbers) : {}; // an object of the provider's
}
