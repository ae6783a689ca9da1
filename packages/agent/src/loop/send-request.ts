/** Sends one request to the model, through `wrapModelCall` if it is set. */
import type { AssistantMessage } from "pi-ai";
import type { WrapModelCallHook } from "../types/config.js";
import type { RunStop } from "../types/limit-event.js";
import type { ModelRequest } from "../types/model-request.js";
import type { GuardedRequest, RunGuard } from "../types/run-guard.js";
import type { AbortGate } from "./abort-gate.js";
import type { AgentRun } from "./agent-run.js";
import { ignoreIfUnused, isPending } from "./promises.js";
import { type ResponseRun, readResponse, toFinalMessage } from "./response-stream.js";
import { RunStopped } from "./run-stopped.js";

const CANNOT_SEND =
  "send can be called again only after the last request has ended without emitting any part of a response";
const HOOK_ENDED = "wrapModelCall has ended";
const NO_MESSAGE = "wrapModelCall must return a response";

/**
 * Sends a request, emits the response as it arrives, and returns it. Not an async function, which would cost every
 * response a few turns of the microtask queue.
 */
export function sendRequest(
  sender: Pick<AgentRun, "gate" | "streamFn" | "guard">,
  request: ModelRequest,
  run: ResponseRun,
): Promise<AssistantMessage> {
  const { guard } = sender;
  return guard ? sendGuarded(sender, request, { guard, run }) : send(sender, request, run);
}

/** Sends a request if the limits of the run allow it, and reports its usage. */
async function sendGuarded(
  sender: Pick<AgentRun, "gate" | "streamFn">,
  request: ModelRequest,
  { guard, run }: { guard: RunGuard; run: ResponseRun },
): Promise<AssistantMessage> {
  const { gate } = sender;
  const asked = guard.beforeRequest(request, gate.signal);
  const allowed = await waitForPermission(gate, asked);
  if ("by" in allowed) throw new RunStopped(allowed);
  let response: AssistantMessage | undefined;
  try {
    response = await send(sender, allowed.request, run);
    return response;
  } finally {
    allowed.settle(response);
  }
}

/** Releases a grant that arrives after an abort. */
async function waitForPermission(
  gate: AbortGate,
  asked: ReturnType<RunGuard["beforeRequest"]>,
): Promise<GuardedRequest | RunStop> {
  try {
    return await gate.wait(asked);
  } catch (error) {
    Promise.resolve(asked).then(
      (unused) => "by" in unused || unused.settle(),
      () => {},
    );
    throw error;
  }
}

function send(
  { gate, streamFn }: Pick<AgentRun, "gate" | "streamFn">,
  { model, context, options }: ModelRequest,
  run: ResponseRun,
): Promise<AssistantMessage> {
  const opened = gate.wait(streamFn(model, context, options));
  return isPending(opened) ? opened.then((stream) => readResponse(stream, run)) : readResponse(opened, run);
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
  const resend = (next: ModelRequest): Promise<AssistantMessage> => ignoreIfUnused(start(next));
  try {
    const message = await gate.waitWithGrace(Promise.resolve(wrapModelCall(request, resend, gate.signal)));
    return toFinalMessage(message, NO_MESSAGE);
  } finally {
    over = true;
    canSend = false;
  }
}
