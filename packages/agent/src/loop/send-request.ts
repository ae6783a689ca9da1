/** Sends one request to the model, with or without the application's own code around it. */
import type { AssistantMessage } from "pi-ai";
import type { ModelRequest, WrapModelCallHook } from "../types/config.js";
import type { AgentRun } from "./agent-run.js";
import { ignoreIfUnused, isPending } from "./promises.js";
import { type ResponseRun, readResponse, toFinalMessage } from "./response-stream.js";

const CANNOT_SEND = "send can be called again only when the last request has ended without any part of a response";
const HOOK_ENDED = "wrapModelCall has ended";
const NO_MESSAGE = "wrapModelCall must return a response";

/**
 * Sends a request, emits the response as it arrives, and returns it. Not an async function, which would cost every
 * response a few turns of the microtask queue.
 */
export function sendRequest(
  { gate, streamFn }: Pick<AgentRun, "gate" | "streamFn">,
  { model, context, options }: ModelRequest,
  run: ResponseRun,
): Promise<AssistantMessage> {
  const opened = gate.wait(streamFn(model, context, options));
  return isPending(opened) ? opened.then((stream) => readResponse(stream, run)) : readResponse(opened, run);
}

/** Calls the hook around a request. Like a stream, it has a short grace period after an abort. */
export async function sendWrapped(
  run: AgentRun,
  request: ModelRequest,
  wrapModelCall: WrapModelCallHook,
): Promise<AssistantMessage> {
  const { gate, streamOptions } = run;
  let canSend = true;
  let over = false;
  const showProgress: ResponseRun["showProgress"] = (event) => {
    // The hook did not wait for the response. It must not reach a later turn.
    if (over) throw new Error(HOOK_ENDED);
    return run.showProgress(event);
  };
  const start = async (next: ModelRequest): Promise<AssistantMessage> => {
    gate.check();
    if (!canSend || run.openResponse) throw new Error(CANNOT_SEND);
    canSend = false;
    try {
      return await sendRequest(run, next, { gate, streamOptions, showProgress });
    } finally {
      canSend = !over;
    }
  };
  const send = (next: ModelRequest): Promise<AssistantMessage> => ignoreIfUnused(start(next));
  try {
    const message = await gate.waitWithGrace(Promise.resolve(wrapModelCall(request, send, gate.signal)));
    return toFinalMessage(message, NO_MESSAGE);
  } finally {
    over = true;
    canSend = false;
  }
}
