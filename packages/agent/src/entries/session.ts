/**
 * Logs a conversation to disk and loads it again. For Node.
 *
 * @module pi-agent/session
 */

export { type LoadedSession, type LoadSessionOptions, loadSession } from "../session/load-session.js";
export { SessionLogError, type SkippedLine } from "../session/session-lines.js";
export { createSessionLog, type LoggedAgent, type SessionLog, type SessionLogOptions } from "../session/session-log.js";
