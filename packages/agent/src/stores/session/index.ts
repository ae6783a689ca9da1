/**
 * Logs a conversation to disk and loads it again. For Node.
 *
 * @module pi-agent/session
 */

export type { LoadedSession, LoadSessionOptions, ReplacedConversation } from "./restore-session.js";
export {
  createSessionLog,
  type JsonlSessionOptions,
  jsonlSessions,
  loadSession,
  type SessionLogOptions,
} from "./session-files.js";
export { SessionLogError, type SkippedLine } from "./session-lines.js";
export type { SessionLog } from "./session-log.js";
export type {
  AppendOptions,
  BranchOptions,
  ListOptions,
  SessionStore,
  SessionSummary,
  StoreLogOptions,
} from "./session-store.js";
export type { LogOptions } from "./session-writer.js";
