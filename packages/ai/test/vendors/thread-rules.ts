/** What Anthropic refuses of a message thread, and with which code. */
import type { Fields } from "../validators/faults.js";
import type { Certainty } from "./rule.js";

/** A conversation that the server keeps under the id of an answer. */
export interface StoredThread {
  /** The whole request, as if it had been sent at once, with the answer as its last message. */
  whole: Fields;
  isContinued: boolean;
  /** Whether a request that continues it has no answer yet. */
  isInFlight: boolean;
  /** When the server forgets it, in milliseconds. */
  ends: number;
}

export interface ThreadRequest {
  body: Fields;
  betas: string;
  /** What the request continues; undefined if the server has nothing under that id. */
  stored: StoredThread | undefined;
  now: number;
}

export interface ThreadRule {
  id: string;
  refuses: string;
  /** Default 400. */
  status?: number;
  /** The vendor's `error.details.error_code`. Without one, its words alone say why. */
  code?: string;
  says: string;
  source: string;
  date: string;
  certainty: Certainty;
  breaks(request: ThreadRequest): boolean;
}

export const THREAD_BETA = "message-threads-2026-08-12";
const PAGE = "platform.claude.com/docs/en/build-with-claude/message-threads";
const TYPES = "@anthropic-ai/sdk, resources/messages/messages.d.ts, 1.14.0";
const HELPER = "@anthropic-ai/sdk, lib/internal/threads/ThreadState.js, 1.14.0";

/** What a request that continues may set anew: `ThreadState` passes on what a turn gives, `system` and `tools` apart. */
const PER_TURN: ReadonlySet<string> = new Set(["thread", "messages", "max_tokens", "container", "diagnostics"]);
const KEPT: ReadonlySet<string> = new Set(["system", "tools"]);

const continues = ({ body }: ThreadRequest): boolean => (body["thread"] as Fields | undefined)?.["type"] === "continue";
const isThread = ({ body }: ThreadRequest): boolean => body["thread"] !== undefined;

/** Marks of the request alone: how those of the kept messages count is not known. */
function marksOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + marksOf(one), 0);
  if (typeof value !== "object" || value === null) return 0;
  return Object.entries(value).reduce((sum, [name, one]) => sum + (name === "cache_control" ? 1 : marksOf(one)), 0);
}

/** In the order in which the server looks. */
export const THREAD_RULES: readonly ThreadRule[] = [
  {
    id: "thread/beta",
    refuses: "the field without its beta",
    says: "thread: Extra inputs are not permitted",
    source: "earendil-works/pi-ai, dist/api/anthropic-messages.js, 1.6.0",
    date: "2026-11",
    certainty: "reported",
    breaks: (request) => isThread(request) && !request.betas.includes(THREAD_BETA),
  },
  {
    id: "thread/unsupported",
    refuses: "a thread together with context management",
    code: "thread_unsupported_request",
    says: "thread: context_management is not supported when thread is set",
    source: TYPES,
    date: "2026-11",
    certainty: "documented",
    breaks: (request) => isThread(request) && request.body["context_management"] !== undefined,
  },
  {
    id: "thread/marks",
    refuses: "more than three cache marks",
    code: "thread_unsupported_request",
    says: "thread: a maximum of 3 blocks with cache_control may be provided when thread is set",
    source: "an error in a public log of a session, 2026-09-30",
    date: "2026-09",
    certainty: "reported",
    breaks: (request) => isThread(request) && marksOf(request.body) > 3,
  },
  {
    id: "thread/not-found",
    refuses: "an id that the server does not have, or has no longer",
    status: 404,
    code: "thread_not_found",
    says: "No thread state was found for previous_message_id",
    source: PAGE,
    date: "2026-11",
    certainty: "documented",
    breaks: (request) => continues(request) && (request.stored === undefined || request.now >= request.stored.ends),
  },
  {
    id: "thread/in-flight",
    refuses: "a second request while the first one that continues an answer is under way",
    code: "thread_continue_in_flight",
    says: "Another request is still continuing from this previous_message_id",
    source: TYPES,
    date: "2026-11",
    certainty: "documented",
    breaks: (request) => continues(request) && request.stored?.isInFlight === true,
  },
  {
    id: "thread/already-continued",
    refuses: "to continue an answer twice",
    code: "thread_already_continued",
    says: "previous_message_id has already been continued",
    source: TYPES,
    date: "2026-11",
    certainty: "documented",
    breaks: (request) => continues(request) && request.stored?.isContinued === true,
  },
  {
    id: "thread/repeated-field",
    refuses: "the prompt or the tools in a request that continues",
    code: "thread_fingerprint_mismatch",
    says: "thread: system and tools are kept with the thread and cannot be sent again",
    source: HELPER,
    date: "2026-11",
    certainty: "documented",
    breaks: (request) => continues(request) && [...KEPT].some((name) => request.body[name] !== undefined),
  },
  {
    id: "thread/fingerprint",
    refuses: "a field that differs from that of the thread",
    code: "thread_fingerprint_mismatch",
    says: "thread: differing field(s)",
    source: TYPES,
    date: "2026-11",
    certainty: "documented",
    breaks: ({ body, stored, ...rest }) =>
      continues({ body, stored, ...rest }) &&
      [...new Set([...Object.keys(body), ...Object.keys(stored?.whole ?? {})])].some(
        (name) =>
          !PER_TURN.has(name) && !KEPT.has(name) && JSON.stringify(body[name]) !== JSON.stringify(stored?.whole[name]),
      ),
  },
];
