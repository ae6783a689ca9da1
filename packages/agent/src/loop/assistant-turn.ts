/** Sends one request to the model and emits its response. */
import type { AssistantMessage } from "pi-ai";
import { ProtocolError } from "pi-ai/call";
import { isRunStopped } from "../run-stopped.js";
import type { ModelRequest } from "../types/model-request.js";
import type { RunSteps } from "../types/run-steps.js";
import type { AgentRun } from "./agent-run.js";
import { closeResponse, createClosingMessage, withSideUsage } from "./closing-message.js";
import { prepareRequest } from "./prepare-request.js";
import { isPending } from "./promises.js";
import { sendRequest } from "./send-request.js";

/**
 * Requests a response and emits it. After an abort, or when the stream breaks its contract, the response is closed here.
 * Errors of hooks and of the stream function propagate.
 */
export async function runAssistantTurn(run: AgentRun): Promise<AssistantMessage> {
  const { config, gate } = run;
  run.beginResponse();
  try {
    const begun = run.middleware.beforeRequest?.();
    if (begun) await begun;
    const message = await (config.runSteps ? respondOnce(run, config.runSteps) : respondAndNote(run));
    const delivered = run.endResponse(message);
    if (isPending(delivered)) await delivered;
    return message;
  } catch (error) {
    if (config.runSteps?.failure) throw error;
    const stopped = isRunStopped(error);
    if (stopped) run.stop = error.stop;
    if (!run.closed && (stopped || gate.aborted || error instanceof ProtocolError)) return closeResponse(run, error);
    throw error;
  }
}

/** Sends the request unless another process has its response. A failure is a response, too. */
async function respondOnce(run: AgentRun, steps: RunSteps): Promise<AssistantMessage> {
  let eventSinkFailure: { error: unknown } | undefined;
  let sent = false;
  const message = await steps.respond(async () => {
    sent = true;
    run.isStoring = true;
    for (const side of run.rememberedSide.splice(0)) noteRemembered(run, side);
    try {
      return await respondAndNote(run);
    } catch (error) {
      if (run.closed) eventSinkFailure = { error };
      if (isRunStopped(error)) run.stop = error.stop;
      return withSideUsage(run, () => createClosingMessage(run, error));
    } finally {
      run.isStoring = false;
    }
  });
  if (!sent) {
    // The response says what requests beside it have used.
    run.rememberedSide.length = 0;
    run.sideResponses.length = 0;
    noteRemembered(run, message);
  }
  if (eventSinkFailure) throw eventSinkFailure.error;
  return message;
}

function noteRemembered(run: AgentRun, message: AssistantMessage): void {
  for (const hooks of run.middleware.all) hooks.onRemembered?.(message);
}

async function respondAndNote(run: AgentRun): Promise<AssistantMessage> {
  const response = await respond(run);
  const noted = withSideUsage(run, () => response);
  return isPending(noted) ? await noted : noted;
}

/** Sends the request and shows its progress. Not an async function, which would cost each response a promise. */
function respond(run: AgentRun): Promise<AssistantMessage> {
  const { config, middleware } = run;
  const isWrapped = config.wrapModelCall || middleware.recover;
  const send = (request: ModelRequest): Promise<AssistantMessage> =>
    isWrapped ? sendThroughHooks(run, request) : sendRequest(run, request, run);
  run.gate.check();
  const prepared = prepareRequest(run);
  return isPending(prepared) ? prepared.then(send) : send(prepared);
}

async function sendThroughHooks(run: AgentRun, request: ModelRequest): Promise<AssistantMessage> {
  const { sendWrapped } = await run.gate.wait(import("./send-wrapped.js"));
  return sendWrapped(run, request);
}
