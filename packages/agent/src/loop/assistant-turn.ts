/** Sends one request to the model and emits its response. */
import type { AssistantMessage } from "pi-ai";
import { ProtocolError } from "pi-ai/call";
import type { RunStop } from "../types/limit-event.js";
import type { ModelRequest } from "../types/model-request.js";
import { isPending } from "./abort-gate.js";
import type { AgentRun } from "./agent-run.js";
import { closeResponse, createClosingMessage, withSideUsage } from "./closing-message.js";
import { prepareRequest } from "./prepare-request.js";
import { sendRequest } from "./response-stream.js";
import { isRunStopped } from "./run-stopped.js";

/**
 * Requests a response and emits it. After an abort, or when the stream breaks its contract, the response is closed here.
 * Errors of hooks and of the stream function propagate.
 */
export async function respond(run: AgentRun): Promise<AssistantMessage> {
  run.beginResponse();
  try {
    const begun = run.middleware.beforeRequest?.();
    if (begun) await begun;
    const message = await run.steps.respond(() => requestResponse(run), {
      close: (error) => {
        noteStop(run, error);
        return withSideUsage(run, () => createClosingMessage(run, error));
      },
      stop: () => run.stop,
      onRemembered: (remembered, stop) => noteRepeated(run, remembered, stop),
    });
    run.assertDelivered();
    const delivered = run.endResponse(message);
    if (isPending(delivered)) await delivered;
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
  for (const response of stop ? beside : [message]) noteRemembered(run, response);
}

function noteRemembered(run: AgentRun, message: AssistantMessage): void {
  for (const hooks of run.middleware.all) hooks.onRemembered?.(message);
}

async function requestResponse(run: AgentRun): Promise<AssistantMessage> {
  run.isStoring = run.steps.stores;
  for (const side of run.rememberedSide.splice(0)) noteRemembered(run, side);
  try {
    const response = await send(run);
    const noted = withSideUsage(run, () => response);
    return isPending(noted) ? await noted : noted;
  } finally {
    run.isStoring = false;
  }
}

/** Sends the request and shows its progress. Not an async function, which would cost each response a promise. */
function send(run: AgentRun): Promise<AssistantMessage> {
  const { config, middleware } = run;
  const isWrapped = config.wrapModelCall || middleware.recover;
  const sendOne = (request: ModelRequest): Promise<AssistantMessage> =>
    isWrapped ? sendThroughHooks(run, request) : sendRequest(run, request, run);
  run.gate.check();
  const prepared = prepareRequest(run);
  return isPending(prepared) ? prepared.then(sendOne) : sendOne(prepared);
}

let wrapped: typeof import("./send-wrapped.js") | undefined;

async function sendThroughHooks(run: AgentRun, request: ModelRequest): Promise<AssistantMessage> {
  // Kept, because even the import of a loaded module would take longer than the rest of a turn.
  wrapped ??= await run.gate.wait(import("./send-wrapped.js"));
  return wrapped.sendWrapped(run, request);
}
