/** One response: it is requested and emitted, or closed here if it was aborted or failed. It says what requests beside it used. */
import type { AssistantMessage, ErrorInfo, ServerToolContent } from "pi-ai";
import { PiError, ProtocolError, startTimer } from "pi-ai/call";
import type { RunStop } from "../types/event.js";
import type { ModelRequest } from "../types/hooks.js";
import { isPending, OperationAborted } from "./abort-gate.js";
import { type AgentRun, directSteps, type RunMiddleware } from "./agent-run.js";
import { prepareRequest } from "./prepare-request.js";
import { ABORTED_TEXT, createEmptyResponse } from "./refusal.js";
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
    const requested = run.steps === directSteps ? request(run) : requestInStep(run);
    const response = isPending(requested) ? await requested : requested;
    const message = hasSideUsage(run) ? await withSideUsage(run, () => response) : response;
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
  run.rememberedSide.length = 0;
  run.middleware.onRemembered?.(message, stop !== undefined);
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
  tellRemembered(run);
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

// --- A response that was aborted or failed ends with what was streamed, and the reason.

const CUT_OFF_TEXT = "the response ended before the arguments were complete";

/** Ends the open response, or adds an empty one if none is open. */
export async function closeResponse(run: AgentRun, thrown: unknown): Promise<AssistantMessage> {
  tellRemembered(run);
  const message = await withSideUsage(run, () => createClosingMessage(run, thrown));
  await run.endResponse(message);
  return message;
}

/** The message without its events. */
function createClosingMessage(run: AgentRun, thrown: unknown): AssistantMessage {
  const aborted = run.gate.aborted;
  const failure = {
    stopReason: aborted ? ("aborted" as const) : ("error" as const),
    errorMessage: thrown instanceof OperationAborted ? ABORTED_TEXT : run.describeError(thrown),
    error: aborted ? { kind: "aborted" as const } : toErrorInfo(thrown),
  };
  const partial = run.openResponse;
  if (partial) return { ...partial, content: freezeContent(partial, run.openCalls), ...failure };
  return { ...createEmptyResponse(run.config.model), timestamp: run.now(), ...failure };
}

/** Copies the content, which the stream may still change. A call that was still streaming must never look complete. */
function freezeContent(partial: AssistantMessage, openCalls: ReadonlySet<number>): AssistantMessage["content"] {
  return partial.content.map((block, index) => {
    if (block.type === "serverTool") return freezeServerTool(block);
    if (block.type !== "toolCall") return { ...block };
    const call = { ...block, arguments: cloneArguments(block.arguments) };
    return openCalls.has(index) ? { ...call, argumentsError: call.argumentsError ?? CUT_OFF_TEXT } : call;
  });
}

/** Copies the input, which may be a live view, and ends a tool without a result, because none will arrive. */
function freezeServerTool({ input, status, ...block }: ServerToolContent): ServerToolContent {
  const ended = status === "running" ? "failed" : status;
  return { ...block, status: ended, ...(input && { input: cloneArguments(input) }) };
}

function cloneArguments(value: Record<string, unknown>): Record<string, unknown> {
  try {
    return structuredClone(value);
  } catch {
    // A stream function put something there that cannot be cloned. Such a call is never run, so nothing is lost.
    return {};
  }
}

function toErrorInfo(thrown: unknown): ErrorInfo {
  return PiError.is(thrown) ? thrown.info : { kind: "unknown" };
}

// --- What requests beside the conversation used is noted in the response that follows them.

function hasSideUsage({ pendingSide, sideResponses }: AgentRun): boolean {
  return pendingSide.size > 0 || sideResponses.length > 0;
}

/** Adds what requests beside the conversation used to the message that follows them, once those have ended. */
async function withSideUsage(run: AgentRun, create: () => AssistantMessage): Promise<AssistantMessage> {
  if (!hasSideUsage(run)) return create();
  await settleSide(run);
  return noteSideUsage(run, create());
}

/** The part of a run that knows the requests beside the conversation. */
export interface SideRun extends Pick<AgentRun, "sideResponses" | "rememberedSide"> {
  middleware: Pick<RunMiddleware, "onRemembered">;
}

/**
 * Does the work of a step that no earlier process has done. Returns its value and the responses to its requests beside the
 * conversation, without their content, to be stored together.
 */
export async function recordBeside<TValue>(
  run: SideRun,
  work: () => TValue | Promise<TValue>,
): Promise<{ value: TValue; beside?: AssistantMessage[] }> {
  const { sideResponses } = run;
  tellRemembered(run);
  const from = sideResponses.length;
  const value = await work();
  if (sideResponses.length <= from) return { value };
  const beside = sideResponses.slice(from).filter(isResponse);
  return { value, beside: beside.map((response) => ({ ...response, content: [] })) };
}

/** Adds those that an earlier process of a durable run received in a step. */
export function recallBeside(run: SideRun, beside: readonly AssistantMessage[] = []): void {
  run.sideResponses.push(...beside);
  run.rememberedSide.push(...beside);
}

/**
 * Passes the remembered responses to middleware, which may refuse more work because of them. Called before the first work that
 * no earlier process has done: a response that is remembered, too, names what came before it itself.
 */
export function tellRemembered({ rememberedSide, middleware }: SideRun): void {
  for (const response of rememberedSide.splice(0)) middleware.onRemembered?.(response, false);
}

function isResponse(side: Pick<AssistantMessage, "usage">): side is AssistantMessage {
  return "role" in side;
}

/** How long an agent needs at most to end after its abort, in milliseconds. */
const ABORT_MS = 20;

/**
 * Waits for requests beside the conversation that end while a response is complete: those of a hook that was aborted, and
 * those of an agent whose call has timed out.
 */
async function settleSide({ pendingSide, gate }: AgentRun): Promise<void> {
  if (pendingSide.size === 0) return;
  const time = Promise.withResolvers<void>();
  const cancel = startTimer(time.resolve, ABORT_MS);
  const settled = Promise.allSettled(pendingSide).then(() => {});
  await gate.waitForObserver(Promise.race([settled, time.promise]));
  cancel();
}

/** Adds what requests beside the conversation used to the response that follows them. */
function noteSideUsage(run: AgentRun, message: AssistantMessage): AssistantMessage {
  const usages = run.sideResponses.splice(0).map(({ usage }) => usage);
  if (!usages.some(({ totalTokens, cost }) => totalTokens > 0 || cost.total > 0)) return message;
  const note = { type: "side_requests", timestamp: run.now(), details: { usages } };
  return { ...message, diagnostics: [...(message.diagnostics ?? []), note] };
}
