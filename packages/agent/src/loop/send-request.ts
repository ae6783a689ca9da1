/** Sends one request to the model, through `wrapModelCall` if it is set. */
import type { AssistantMessage } from "pi-ai";
import type { WrapModelCallHook } from "../types/config.js";
import type { RunStop } from "../types/limit-event.js";
import type { ModelRequest } from "../types/model-request.js";
import type { GuardedRequest } from "../types/run-guard.js";
import type { AbortGate } from "./abort-gate.js";
import type { AgentRun } from "./agent-run.js";
import { ignoreIfUnused, isPending } from "./promises.js";
import { type ResponseRun, readResponse, toFinalMessage } from "./response-stream.js";
import { RunStopped } from "./run-stopped.js";

const CANNOT_SEND =
  "send can be called again only after the last request has ended without emitting any part of a response";
const HOOK_ENDED = "wrapModelCall has ended";
const NO_MESSAGE = "wrapModelCall must return a response";

/** The parts of a run that send a request. */
type Sender = Pick<AgentRun, "gate" | "streamFn" | "guard">;

/**
 * Sends a request, emits the response as it arrives, and returns it. Not an async function, which would cost every
 * response a few turns of the microtask queue.
 */
export function sendRequest(sender: Sender, request: ModelRequest, run: ResponseRun): Promise<AssistantMessage> {
  const { gate, guard } = sender;
  if (!guard) return send(sender, request, run);
  const asked = guard.beforeRequest(request, gate.signal);
  if (!isPending(asked)) return sendAllowed(sender, asked, run);
  return waitForPermission(gate, asked).then((allowed) => sendAllowed(sender, allowed, run));
}

function sendAllowed(sender: Sender, allowed: GuardedRequest | RunStop, run: ResponseRun): Promise<AssistantMessage> {
  if ("by" in allowed) throw new RunStopped(allowed);
  return send(sender, allowed.request, run, allowed);
}

/** Releases a grant that arrives after an abort. */
async function waitForPermission(
  gate: AbortGate,
  asked: Promise<GuardedRequest | RunStop>,
): Promise<GuardedRequest | RunStop> {
  try {
    return await gate.wait(asked);
  } catch (error) {
    asked.then(
      (unused) => "by" in unused || unused.settle(),
      () => {},
    );
    throw error;
  }
}

/** @param allowed the permission of the run's limits, which is settled when the request has ended in any way */
function send(
  { gate, streamFn }: Sender,
  { model, context, options }: ModelRequest,
  run: ResponseRun,
  allowed?: GuardedRequest,
): Promise<AssistantMessage> {
  return readResponse(() => gate.wait(streamFn(model, context, options)), run, allowed);
}

/** Calls `wrapModelCall`. Like a stream, it has a short grace period after an abort. */
export async function sendWrapped(
  run: AgentRun,
  request: ModelRequest,
  wrapModelCall: WrapModelCallHook,
): Promise<AssistantMessage> {
  const { gate, streamOptions } = run;
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
      return await sendRequest(run, next, { gate, streamOptions, showProgress });
    } finally {
      canSend = !over;
    }
  };
  const resend = (next: ModelRequest): Promise<AssistantMessage> => ignoreIfUnused(start(next));
  try {
    const message = await gate.waitWithGrace(Promise.resolve(wrapModelCall(request, resend, gate.signal)));
    return toFinalMessage(message, NO_MESSAGE);
  } finally {
    over = true;
    canSend = false;
  }
}
