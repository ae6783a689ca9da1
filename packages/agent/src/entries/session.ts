/**
 * A log of a conversation on disk, and the way back. For Node.
 *
 * @module pi-agent/session
 */

export { type LoadedSession, loadSession } from "../session/load-session.js";
export { SessionLogError } from "../session/session-lines.js";
export { createSessionLog, type LoggedAgent, type SessionLog, type SessionLogOptions } from "../session/session-log.js";
