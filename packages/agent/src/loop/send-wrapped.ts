/** Sends a request through the hooks around it. Only runs with `wrapModelCall` or `recover` load this module. */
import type { AssistantMessage, Usage } from "pi-ai";
import type { ModelRequest } from "../types/hooks.js";
import { ignoreIfUnused } from "./abort-gate.js";
import type { AgentRun } from "./agent-run.js";
import { prepareRequest } from "./prepare-request.js";
import { type ResponseRun, sendRequest, toFinalMessage } from "./response-stream.js";

const CANNOT_SEND =
  "send can be called again only after the last request has ended without emitting any part of a response";
const HOOK_ENDED = "wrapModelCall has ended";
const NO_MESSAGE = "wrapModelCall must return a response";

/** Sends a request, and builds and sends it again as long as a middleware recovers from a response without content. */
export async function sendWrapped(run: AgentRun, request: ModelRequest): Promise<AssistantMessage> {
  const responses: AssistantMessage[] = [];
  const { gate } = run;
  const { recover } = run.middleware;
  try {
    for (let next = request; ; next = await prepareRequest(run)) {
      const message = await sendOnce(run, next, responses);
      if (recover && message.content.length === 0 && !gate.aborted && (await gate.wait(recover(message)))) continue;
      keepDropped(run, responses, message);
      return message;
    }
  } catch (error) {
    // The closing message has the usage of a response that is open.
    keepDropped(run, responses, run.openResponse);
    throw error;
  }
}

/** Calls `wrapModelCall`. Like a stream, it has a short grace period after an abort. */
async function sendOnce(
  run: AgentRun,
  request: ModelRequest,
  responses: AssistantMessage[],
): Promise<AssistantMessage> {
  const { gate, streamOptions } = run;
  const { wrapModelCall } = run.config;
  let canSend = true;
  let over = false;
  const showProgress: ResponseRun["showProgress"] = (event) => {
    // The hook did not wait for the response, which must not leak into a later turn.
    if (over) throw new Error(HOOK_ENDED);
    if (event.type !== "start" || !run.openResponse) return run.showProgress(event);
    // The last request began a response but ended without content. This one continues the message.
    run.openResponse = event.partial;
    return undefined;
  };
  const start = async (next: ModelRequest): Promise<AssistantMessage> => {
    gate.check();
    if (!canSend || run.openResponse?.content.length) throw new Error(CANNOT_SEND);
    canSend = false;
    try {
      const response = await sendRequest(run, next, { gate, streamOptions, showProgress });
      responses.push(response);
      return response;
    } finally {
      canSend = !over;
    }
  };
  if (!wrapModelCall) return start(request);
  const resend = (next: ModelRequest): Promise<AssistantMessage> => ignoreIfUnused(start(next));
  try {
    const wrapped = wrapModelCall(request, resend, gate.signal);
    return toFinalMessage(await gate.waitWithGrace(Promise.resolve(wrapped)), NO_MESSAGE);
  } finally {
    over = true;
    canSend = false;
  }
}

/**
 * Keeps the responses that were requested and that do not become the message of the turn: they were paid, too.
 *
 * @param message the message of the turn. A hook may return a copy of a response, so the counts are compared
 */
function keepDropped(
  run: AgentRun,
  responses: readonly AssistantMessage[],
  message: AssistantMessage | undefined,
): void {
  if (responses.length === 1 && responses[0] === message) return;
  const kept = responses.findLastIndex((response) => response === message || isSame(response.usage, message?.usage));
  run.side.add(...responses.filter((_, index) => index !== kept));
}

function isSame(one: Usage, other: Usage | undefined): boolean {
  return one.totalTokens === other?.totalTokens && one.output === other.output && one.cost.total === other.cost?.total;
}
