/** A request with the hooks around it: each may change it, send it again, or answer it without sending. */
import type { AssistantMessage, Usage } from "pi-ai";
import { ignoreIfUnused } from "../abort-gate.js";
import type { ModelRequest } from "../types/hooks.js";
import type { AgentRun } from "./agent-run.js";
import { buildRequest } from "./request.js";
import { type ResponseRun, sendRequest, toFinalMessage } from "./stream-reader.js";

/** A middleware that recovers from a response without content has the request built and sent again. */
export async function sendThroughHooks(run: AgentRun, built: ModelRequest): Promise<AssistantMessage> {
  const { gate, middleware } = run;
  const responses: AssistantMessage[] = [];
  try {
    for (let next = built; ; next = await buildRequest(run)) {
      const message = await sendWrapped(run, next, responses);
      const isFinal = message.content.length > 0 || gate.aborted;
      if (!isFinal && middleware.recover && (await gate.wait(middleware.recover(message)))) continue;
      countDropped(run, responses, message);
      return message;
    }
  } catch (error) {
    // The closing message has the usage of a response that is open.
    countDropped(run, responses, run.openResponse.partial);
    throw error;
  }
}

const CANNOT_SEND =
  "send can be called again only after the last request has ended without emitting any part of a response";
const HOOK_ENDED = "wrapModelCall has ended";
const NO_MESSAGE = "wrapModelCall must return a response";

/** Sends the request through `wrapModelCall`. Like a stream, the hook has a short grace period after an abort. */
async function sendWrapped(
  run: AgentRun,
  built: ModelRequest,
  responses: AssistantMessage[],
): Promise<AssistantMessage> {
  const { gate, settings } = run;
  const { wrapModelCall } = run.middleware;
  let state: "ready" | "sending" | "over" = "ready";
  const send = async (next: ModelRequest): Promise<AssistantMessage> => {
    gate.check();
    if (state !== "ready" || run.openResponse.partial?.content.length) throw new Error(CANNOT_SEND);
    state = "sending";
    // An earlier request may have begun the message and ended without content. This one continues it.
    let continues = run.openResponse.partial !== undefined;
    const showProgress: ResponseRun["showProgress"] = (event) => {
      // The hook did not wait for the response, which must not leak into a later turn.
      if (state === "over") throw new Error(HOOK_ENDED);
      const isShown = !(continues && event.type === "start");
      continues = false;
      if (isShown) return run.showProgress(event);
      run.openResponse.take(event);
      return undefined;
    };
    try {
      const response = await sendRequest({ gate, settings, showProgress }, next, run.options.streamFn);
      responses.push(response);
      return response;
    } finally {
      if (state === "sending") state = "ready";
    }
  };
  if (!wrapModelCall) return send(built);
  try {
    const wrapped = wrapModelCall(built, (next) => ignoreIfUnused(send(next)), gate.signal);
    return toFinalMessage(await gate.waitWithGrace(Promise.resolve(wrapped)), NO_MESSAGE);
  } finally {
    state = "over";
  }
}

/**
 * Keeps the responses that were requested and that do not become the message of the turn: they were paid, too.
 *
 * @param message the message of the turn. A hook may return a copy of a response, so the counts are compared
 */
function countDropped(
  run: AgentRun,
  responses: readonly AssistantMessage[],
  message: AssistantMessage | undefined,
): void {
  const kept = responses.findLastIndex((response) => response === message || isSame(response.usage, message?.usage));
  run.sideUsage.add(...responses.filter((_, index) => index !== kept));
}

function isSame(one: Usage, other: Usage | undefined): boolean {
  return one.totalTokens === other?.totalTokens && one.output === other.output && one.cost.total === other.cost?.total;
}
