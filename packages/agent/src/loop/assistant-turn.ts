/** Sends one request to the model and emits its response. */
import type { AssistantMessage, Message } from "pi-ai";
import { isRecord, ProtocolError } from "pi-ai/call";
import type { AgentMessage } from "../types/message.js";
import type { ModelRequest } from "../types/model-request.js";
import type { RunSteps } from "../types/run-steps.js";
import type { AgentRun } from "./agent-run.js";
import { closeResponse, createClosingMessage } from "./closing-message.js";
import { createLlmContext, keepLlmMessages } from "./llm-messages.js";
import { isPending } from "./promises.js";
import { RunStopped } from "./run-stopped.js";
import { sendRequest, sendWrapped } from "./send-request.js";
import { buildStreamOptions } from "./stream-options.js";

const HOOK_ENDED = "transformContext has ended";

/**
 * Requests a response and emits it. After an abort, or when the stream breaks its contract, the response is closed here.
 * Errors of hooks and of the stream function propagate.
 */
export async function runAssistantTurn(run: AgentRun): Promise<AssistantMessage> {
  const { config, gate } = run;
  run.beginResponse();
  try {
    const message = config.runSteps ? await respondOnce(run, config.runSteps) : await respond(run);
    const delivered = run.endResponse(message);
    if (isPending(delivered)) await delivered;
    return message;
  } catch (error) {
    if (config.runSteps?.failure) throw error;
    const stopped = error instanceof RunStopped;
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
    try {
      return await respond(run);
    } catch (error) {
      if (run.closed) eventSinkFailure = { error };
      if (error instanceof RunStopped) run.stop = error.stop;
      return createClosingMessage(run, error);
    }
  });
  if (!sent) run.guard?.countRemembered(message);
  if (eventSinkFailure) throw eventSinkFailure.error;
  return message;
}

/** Sends the request and shows its progress. Not an async function, which would cost each response a promise. */
function respond(run: AgentRun): Promise<AssistantMessage> {
  const { wrapModelCall } = run.config;
  const send = (request: ModelRequest): Promise<AssistantMessage> =>
    wrapModelCall ? sendWrapped(run, request, wrapModelCall) : sendRequest(run, request, run);
  const prepared = prepareRequest(run);
  return isPending(prepared) ? prepared.then(send) : send(prepared);
}

/** Returns a promise only if a hook has to be waited for. */
function prepareRequest(run: AgentRun): ModelRequest | Promise<ModelRequest> {
  const { config, gate } = run;
  gate.check();
  if (config.transformContext || config.getApiKey) return prepareThroughHooks(run);
  const converted = gate.wait(convertMessages(run, run.context.messages));
  const build = (messages: Message[]): ModelRequest => buildRequest(run, messages, undefined);
  return isPending(converted) ? converted.then(build) : build(converted);
}

async function prepareThroughHooks(run: AgentRun): Promise<ModelRequest> {
  const { config, gate } = run;
  const messages = config.transformContext ? await transformMessages(run) : run.context.messages;
  const converted = gate.wait(convertMessages(run, messages));
  const llmMessages = isPending(converted) ? await converted : converted;
  checkMessages(llmMessages);
  const ownKey = config.getApiKey ? await gate.wait(config.getApiKey(config.model.provider)) : undefined;
  return buildRequest(run, llmMessages, ownKey);
}

async function transformMessages(run: AgentRun): Promise<AgentMessage[]> {
  const { config, context, gate } = run;
  let over = false;
  const add = async (message: AgentMessage): Promise<void> => {
    if (over || gate.aborted) throw new Error(HOOK_ENDED);
    run.add(message);
    await run.emitMessage(message);
  };
  try {
    const messages = await gate.wait(
      config.transformContext?.(context.messages, gate.signal, config.runSteps ? undefined : add),
    );
    if (!Array.isArray(messages) || !messages.every(isRecord)) throw notMessages("transformContext");
    return messages;
  } finally {
    over = true;
  }
}

function convertMessages({ config, llmMessages }: AgentRun, messages: AgentMessage[]): Message[] | Promise<Message[]> {
  return config.convertToLlm === keepLlmMessages ? llmMessages.keep(messages) : config.convertToLlm(messages);
}

function buildRequest(run: AgentRun, messages: Message[], ownKey: string | undefined): ModelRequest {
  const { config, gate, streamOptions } = run;
  checkMessages(messages);
  const systemPrompt = run.llmMessages.addInstructions(run.context.systemPrompt);
  const context = createLlmContext(systemPrompt, messages, run.context.tools);
  gate.check();
  run.apiKey = ownKey || config.apiKey;
  const options = buildStreamOptions(streamOptions, run.apiKey, gate.signal);
  const request = { model: config.model, context, options };
  return run.output ? run.output.extend(request) : request;
}

/** The elements are not checked: that would cost a pass over the conversation in every turn. */
function checkMessages(messages: readonly Message[]): void {
  if (!Array.isArray(messages)) throw notMessages("convertToLlm");
}

/** Without this check, a hook that returns nothing would send an empty conversation or fail deep inside a provider. */
function notMessages(hook: string): Error {
  return new TypeError(`${hook} must return an array of messages`);
}
