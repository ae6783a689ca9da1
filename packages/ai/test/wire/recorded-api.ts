/** What recordings of an api allow: its stop reasons, and its ways to count tokens. */
import type { ProviderStreamOptions } from "pi-ai";
import type { Truth, WireNumbers } from "./truth.js";

export interface RecordedApi {
  /** The folder of the recordings. */
  folder: string;
  /** Follows the host in the base URL. Default: empty. */
  basePath?: string;
  /** Options that every request needs. Default: none. */
  options?: ProviderStreamOptions;
  /** The transport. Default: server-sent events. */
  framing?: "aws-event-stream";
  stops: StopWords;
  /** Undefined if the wire reports no usage. `body` is the recorded one, for counts outside `usage`. */
  readUsage(usage: NonNullable<Truth["usage"]>, body?: Uint8Array): { readings: Parts[]; total?: unknown } | undefined;
  /** True if the id of a tool call may be followed by `|` and the id of its item. */
  idsMayHaveItem?: boolean;
}

export interface StopWords {
  /** The stop reason for each word of the wire. */
  words: Readonly<Record<string, string>>;
  /** The stop reason for a word that is not in the table. */
  unknown: string[];
  /** The stop reason for a complete response without a word. */
  missing: string[];
  /** The field that contains the word. Default: `stopReason`. */
  field?: "status";
  /** True if a response with a word is complete without the end marker. */
  isCompleteWithWord?: boolean;
  /** If no word means tool use: the stops that tool calls turn into `toolUse`. Default: a word means tool use. */
  toolUseInferredFrom?: "stop" | "any stop";
}

/** Tokens by kind; no token is counted twice. */
export interface Parts {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** A cache count larger than the prompt may be kept, or reduced to the prompt. */
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
  return typeof value === "object" && value !== null ? (value as WireNumbers) : {}; // an object of the provider
}
