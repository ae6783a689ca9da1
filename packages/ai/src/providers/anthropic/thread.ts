/**
 * Message threads: the server keeps prompt, tools and messages, and a request sends what is new (platform.claude.com, "Message
 * threads", 2026-11; `ThreadState` of @anthropic-ai/sdk 1.14.0, 2026-11-24).
 */
import { resolveAnthropicFlags } from "../../catalogue/compat/index.js";
import type { ThreadRow } from "../../driver/index.js";
import { ProviderError } from "../../errors.js";
import { listOf, type WireRequest, withBetas } from "../../transport/index.js";
import { isRecord } from "../../utils/is-object.js";
import { tryParseJson } from "../../utils/read-text.js";

const THREAD_BETA = "message-threads-2026-08-12";
/** "a maximum of 3 blocks with cache_control may be provided when thread is set" (an error of the server, read 2026-09-30). */
const MAX_MARKS = 3;

export const ANTHROPIC_THREAD: ThreadRow = {
  // A client of the application has an address that is not known here.
  isKept: (model, options) => resolveAnthropicFlags(model).keepsThreads && !("client" in options && options.client),
  field: "messages",
  isAnswer: (entry) => isRecord(entry) && entry["role"] === "assistant",
  // The server does not store what a fallback model wrote (`ThreadState`).
  isStored: ({ content }) => !content.some((block) => block.type === "serverTool" && block.name === "fallback"),
  lifetimeMs: 5 * 60_000,
  kept: ["system", "tools"],
  // `ThreadState` lets a turn set each of them; a field that must not differ costs one refused request.
  free: ["max_tokens", "container", "diagnostics"],
  header: "anthropic-beta",
  mark: "cache_control",
  create: (whole, body) => inThread(whole, { ...withFewerMarks(body), thread: { type: "create" } }),
  resume: (next, body, id) => inThread(next, { ...body, thread: { type: "continue", previous_message_id: id } }),
  codes: {
    thread_not_found: "again",
    thread_already_continued: "again",
    thread_continue_in_flight: "again",
    thread_fingerprint_mismatch: "again",
    thread_unsupported_request: "without",
  },
  codeOf,
};

function inThread(request: WireRequest, body: object): WireRequest {
  return { ...request, headers: withBetas(request.headers, [THREAD_BETA]), body };
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof ProviderError) || (error.status !== 400 && error.status !== 404)) return undefined;
  const body = tryParseJson(error.body ?? "");
  const { details } = isRecord(body) && isRecord(body["error"]) ? body["error"] : {};
  const code = isRecord(details) ? details["error_code"] : undefined;
  if (typeof code === "string" && Object.hasOwn(ANTHROPIC_THREAD.codes, code)) return code;
  // Without the beta, which the caller's headers can remove, the field is unknown: "thread: Extra inputs are not permitted".
  return /\bthread: /.test(error.message) ? "thread_unsupported_request" : undefined;
}

/** The mark of the tools goes first, because that of the prompt, which follows them, covers them; then the earliest ones of messages. */
function withFewerMarks(body: Record<string, unknown>): Record<string, unknown> {
  const { tools, system, messages } = body;
  const contents = listOf(messages).flatMap((message) => (isRecord(message) ? listOf(message["content"]) : []));
  let extra = [...listOf(tools), ...listOf(system), ...contents].filter(isMarked).length - MAX_MARKS;
  if (extra <= 0) return body;
  const withoutMark = (block: unknown): unknown => {
    if (extra <= 0 || !isMarked(block)) return block;
    extra--;
    return { ...block, cache_control: undefined };
  };
  return {
    ...body,
    ...(tools ? { tools: listOf(tools).map(withoutMark) } : {}),
    messages: listOf(messages).map((message) =>
      isRecord(message) && Array.isArray(message["content"])
        ? { ...message, content: message["content"].map(withoutMark) }
        : message,
    ),
  };
}

function isMarked(block: unknown): block is Record<string, unknown> {
  return isRecord(block) && block["cache_control"] !== undefined;
}
