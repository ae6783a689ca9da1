/**
 * Logs a conversation to disk and loads it again. For Node.
 *
 * @module pi-agent/session
 */

export { type JsonlSessionOptions, jsonlSessions } from "../session/jsonl-sessions.js";
export { loadSession } from "../session/load-session.js";
export type { LoggedAgent, SessionLog } from "../session/log-agent.js";
export type { LoadedSession, LoadSessionOptions } from "../session/restore-session.js";
export { SessionLogError, type SkippedLine } from "../session/session-lines.js";
export { createSessionLog, type SessionLogOptions } from "../session/session-log.js";
export type {
  AppendOptions,
  BranchOptions,
  ListOptions,
  SessionStore,
  SessionSummary,
  StoreLogOptions,
} from "../session/session-store.js";
