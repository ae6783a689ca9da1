/** Sends a request through `wrapModelCall`. Only runs with that hook load this module. */
import type { AssistantMessage, Usage } from "pi-ai";
import type { WrapModelCallHook } from "../types/hooks.js";
import type { ModelRequest } from "../types/model-request.js";
import type { AgentRun } from "./agent-run.js";
import { ignoreIfUnused } from "./promises.js";
import { type ResponseRun, toFinalMessage } from "./response-stream.js";
import { sendRequest } from "./send-request.js";

const CANNOT_SEND =
  "send can be called again only after the last request has ended without emitting any part of a response";
const HOOK_ENDED = "wrapModelCall has ended";
const NO_MESSAGE = "wrapModelCall must return a response";

/** Calls `wrapModelCall`. Like a stream, it has a short grace period after an abort. */
export async function sendWrapped(
  run: AgentRun,
  request: ModelRequest,
  wrapModelCall: WrapModelCallHook,
): Promise<AssistantMessage> {
  const { gate, streamOptions } = run;
  const responses: AssistantMessage[] = [];
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
  const resend = (next: ModelRequest): Promise<AssistantMessage> => ignoreIfUnused(start(next));
  try {
    const wrapped = wrapModelCall(request, resend, gate.signal, run.hookRun);
    const message = toFinalMessage(await gate.waitWithGrace(Promise.resolve(wrapped)), NO_MESSAGE);
    keepDropped(run, responses, message);
    return message;
  } catch (error) {
    // The closing message has the usage of a response that is open.
    keepDropped(run, responses, run.openResponse);
    throw error;
  } finally {
    over = true;
    canSend = false;
  }
}

/**
 * Keeps the responses that a hook requested and that do not become the message of the turn: they were paid, too.
 *
 * @param message the message of the turn. A hook may return a copy of a response, so the counts are compared
 */
function keepDropped(
  run: AgentRun,
  responses: readonly AssistantMessage[],
  message: AssistantMessage | undefined,
): void {
  const kept = responses.findLastIndex((response) => response === message || isSame(response.usage, message?.usage));
  run.sideResponses.push(...responses.filter((_, index) => index !== kept));
}

function isSame(one: Usage, other: Usage | undefined): boolean {
  return one.totalTokens === other?.totalTokens && one.output === other.output && one.cost.total === other.cost?.total;
}
