/** What the processes of a storm and their judge both know. */
import { jsonlSessions, type SessionStore } from "pi-agent/session";
import { sqliteSessions } from "pi-agent/session/sqlite";
import type { Message } from "pi-ai";
import { createRandom } from "../../../test/support/random.js";

/** What a process writes down before it does anything else. */
export type LedgerLine =
  | { kind: "request"; messages: Message[] }
  /** The effect of a call begins. */
  | { kind: "begin"; n: number }
  | { kind: "end"; n: number };

/** `place` is a path without an ending. */
export const STORES: Readonly<Record<string, (place: string) => SessionStore>> = {
  jsonl: (place) => jsonlSessions(place),
  sqlite: (place) => sqliteSessions(`${place}.db`),
};

/** What the user decides about a call, however often a page asks. */
export function isApprovedBySeed(seed: number, n: number): boolean {
  return createRandom(seed * 104_729 + n).chance(0.7);
}
