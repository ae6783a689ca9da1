/** Sends one request to the model and emits its response. */
import type { AssistantMessage } from "pi-ai";
import { ProtocolError } from "pi-ai/call";
import type { RunStop } from "../types/limit-event.js";
import type { ModelRequest } from "../types/model-request.js";
import { isPending } from "./abort-gate.js";
import type { AgentRun } from "./agent-run.js";
import { closeResponse, createClosingMessage, hasSideUsage, withSideUsage } from "./closing-message.js";
import { directSteps } from "./direct-steps.js";
import { prepareRequest } from "./prepare-request.js";
import { sendRequest } from "./response-stream.js";
import { isRunStopped } from "./run-stopped.js";
import { addSideUsage } from "./side-usage.js";

/**
 * Requests a response and emits it. After an abort, or when the stream breaks its contract, the response is closed here.
 * Errors of hooks and of the stream function propagate.
 */
export async function respond(run: AgentRun): Promise<AssistantMessage> {
  run.beginResponse();
  try {
    const begun = run.middleware.beforeRequest?.();
    if (begun) await begun;
    const requested = run.steps === directSteps ? request(run) : requestInStep(run);
    const response = isPending(requested) ? await requested : requested;
    const message = hasSideUsage(run) ? await addSideUsage(run, () => response) : response;
    run.assertDelivered();
    const delivered = run.endResponse(message);
    if (delivered) await delivered;
    return message;
  } catch (error) {
    const stopped = noteStop(run, error);
    const isResponse = stopped || run.gate.aborted || error instanceof ProtocolError;
    if (run.steps.failure || run.closed || !isResponse) throw error;
    return closeResponse(run, error);
  }
}

/** Returns whether a limit refused the request, and keeps the reason. */
function noteStop(run: AgentRun, error: unknown): boolean {
  if (!isRunStopped(error)) return false;
  run.stop = error.stop;
  return true;
}

/** An earlier process has received the response, which says what requests beside it have used, or was refused the request. */
function noteRepeated(run: AgentRun, message: AssistantMessage, stop: RunStop | undefined): void {
  run.stop = stop;
  run.sideResponses.length = 0;
  const beside = run.rememberedSide.splice(0);
  // A refused request was not sent.
  for (const response of stop ? beside : [message]) run.middleware.onRemembered?.(response);
}

/** Requests the response unless an earlier process of a durable run has received it. */
function requestInStep(run: AgentRun): Promise<AssistantMessage> {
  return run.steps.respond(() => requestToStore(run), {
    close: (error) => {
      noteStop(run, error);
      return withSideUsage(run, () => createClosingMessage(run, error));
    },
    stop: () => run.stop,
    onRemembered: (remembered, stop) => noteRepeated(run, remembered, stop),
  });
}

async function requestToStore(run: AgentRun): Promise<AssistantMessage> {
  run.isStoring = run.steps.stores;
  for (const side of run.rememberedSide.splice(0)) run.middleware.onRemembered?.(side);
  try {
    const response = await request(run);
    return await withSideUsage(run, () => response);
  } finally {
    run.isStoring = false;
  }
}

/** Sends the request and shows its progress. Returns a promise only if there is something to wait for. */
function request(run: AgentRun): AssistantMessage | Promise<AssistantMessage> {
  run.gate.check();
  const prepared = prepareRequest(run);
  return isPending(prepared) ? prepared.then((built) => send(run, built)) : send(run, prepared);
}

function send(run: AgentRun, built: ModelRequest): AssistantMessage | Promise<AssistantMessage> {
  const isWrapped = run.config.wrapModelCall || run.middleware.recover;
  return isWrapped ? sendThroughHooks(run, built) : sendRequest(run, built, run);
}

let wrapped: typeof import("./send-wrapped.js") | undefined;

function sendThroughHooks(run: AgentRun, request: ModelRequest): Promise<AssistantMessage> {
  // Kept, because even the import of a loaded module would take longer than the rest of a turn.
  return wrapped ? wrapped.sendWrapped(run, request) : loadAndSend(run, request);
}

async function loadAndSend(run: AgentRun, request: ModelRequest): Promise<AssistantMessage> {
  wrapped = await run.gate.wait(import("./send-wrapped.js"));
  return wrapped.sendWrapped(run, request);
}
