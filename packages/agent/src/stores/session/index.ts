/**
 * Logs a conversation to disk and loads it again. For Node.
 *
 * @module pi-agent/session
 */

export { type JsonlSessionOptions, jsonlSessions } from "../session/jsonl-sessions.js";
export { createSessionLog, loadSession, type SessionLogOptions } from "../session/log-file.js";
export type { LoadedSession, LoadSessionOptions } from "../session/restore-session.js";
export { SessionLogError, type SkippedLine } from "../session/session-lines.js";
export type { LogOptions, SessionLog } from "../session/session-log.js";
export type {
  AppendOptions,
  BranchOptions,
  ListOptions,
  SessionStore,
  SessionSummary,
  StoreLogOptions,
} from "../session/session-store.js";
