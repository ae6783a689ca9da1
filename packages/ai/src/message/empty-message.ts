/** A final message before anything is in it. */
import type { AssistantMessage, MessageFacts, Usage } from "../types/message.js";
import type { Model } from "../types/model.js";

export function emptyUsage(): Usage {
  return {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
}

/**
 * A message with nothing in it: no content, no tokens, `stopReason` `"stop"`.
 *
 * @param timestamp Unix time in milliseconds. Default: now
 */
export function createAssistantMessage(
  model: Pick<Model, "api" | "provider" | "id">,
  timestamp: number = Date.now(),
): AssistantMessage {
  return {
    role: "assistant",
    content: [],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: emptyUsage(),
    stopReason: "stop",
    timestamp,
  };
}

/** The fields of nearly every message while it is assembled: the only fact about the response is its id. */
type UsualField = Exclude<keyof AssistantMessage, Exclude<keyof MessageFacts, "responseId"> | "errorMessage" | "error">;

const USUAL_FIELDS: Readonly<Record<UsualField, true>> = {
  role: true,
  content: true,
  api: true,
  provider: true,
  model: true,
  usage: true,
  stopReason: true,
  timestamp: true,
  responseId: true,
};
/** A bundler drops a call without its own use only if it is marked, and only without a property of its result. */
const USUAL_NAMES = /* @__PURE__ */ Object.keys(USUAL_FIELDS);

/** Whether a message has the usual fields and no others, so that {@link withContent} can write them out. */
export function isUsual(message: AssistantMessage): boolean {
  const names = Object.keys(message);
  return names.length === USUAL_NAMES.length && names.every((name) => Object.hasOwn(USUAL_FIELDS, name));
}

/**
 * The message with other content. Made for every delta, so the usual fields are written out: V8 leaves room for four more
 * in an object that came out of a spread, which makes it a third larger.
 *
 * @param usual see {@link isUsual}
 */
export function withContent(
  message: AssistantMessage,
  content: AssistantMessage["content"],
  usual: boolean,
): AssistantMessage {
  const { api, provider, model, responseId, usage, stopReason, timestamp } = message;
  if (!usual || responseId === undefined) return { ...message, content };
  const copy: Required<Pick<AssistantMessage, UsualField>> = {
    role: "assistant",
    content,
    api,
    provider,
    model,
    usage,
    stopReason,
    timestamp,
    responseId,
  };
  return copy;
}
