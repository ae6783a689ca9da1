/** The input of a check, and helpers for its report. */
import { inspect } from "node:util";
import type { Observation } from "../support/observe.js";
import type { Allowed } from "./allowed.js";
import type { RecordedError } from "./truth.js";

export interface Case {
  seen: Observation;
  /** How many requests the server received. */
  requests: number;
  /** What the recording allows; absent for a recorded HTTP error. */
  allowed?: Allowed;
  /** The recorded HTTP error. */
  error?: RecordedError;
}

/** Returns the violation, or undefined. */
export type Check = (testCase: Case) => string | undefined;

/** A value, shortened to one line. */
export function show(value: unknown): string {
  const text = inspect(value, { breakLength: Number.POSITIVE_INFINITY, depth: 6, maxStringLength: 80 });
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}

/** Where two texts start to differ. */
export function showDifference(got: string, wanted: string): string {
  let at = 0;
  while (at < got.length && got[at] === wanted[at]) at++;
  const around = (text: string): string => JSON.stringify(text.slice(at, at + 40));
  return `at character ${at}: got ${around(got)} (${got.length} in all), wanted ${around(wanted)} (${wanted.length})`;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
