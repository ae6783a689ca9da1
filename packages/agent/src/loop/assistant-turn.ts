/** One call of the model, from the conversation to the final answer. */
import type { AssistantMessage, AssistantMessageEvent, Context } from "pi-ai";
import { ProtocolError } from "pi-ai/call";
import type { AgentRun } from "./agent-run.js";
import { readAnswer } from "./answer-stream.js";
import { closeAnswer } from "./closing-message.js";
import { createLlmContext, keepLlmMessages } from "./llm-messages.js";
import { buildStreamOptions } from "./stream-options.js";

/**
 * Asks the model and emits the answer. After an abort, or when the stream breaks its promise, the answer is closed here.
 * What a hook or the stream function throws is thrown on.
 */
export async function runAssistantTurn(run: AgentRun): Promise<AssistantMessage> {
  run.openAnswer = undefined;
  run.openCalls.clear();
  try {
    const stream = await openStream(run);
    const message = await readAnswer(stream, run.gate, (event) => showProgress(run, event));
    return await endAnswer(run, message);
  } catch (error) {
    if (!run.closed && (run.gate.aborted || error instanceof ProtocolError)) return closeAnswer(run, error);
    throw error;
  }
}

async function openStream(run: AgentRun): Promise<AsyncIterable<AssistantMessageEvent>> {
  const { config, gate } = run;
  const context = await buildContext(run);
  const ownKey = config.getApiKey ? await gate.wait(config.getApiKey(config.model.provider)) : undefined;
  gate.check();
  const options = buildStreamOptions(config, ownKey || config.apiKey, gate.signal);
  return gate.wait(run.streamFn(config.model, context, options));
}

async function buildContext(run: AgentRun): Promise<Context> {
  const { config, gate } = run;
  let messages = run.context.messages;
  gate.check();
  if (config.transformContext) {
    messages = await gate.wait(config.transformContext(messages, gate.signal));
    if (!Array.isArray(messages) || !messages.every(isObject)) throw notMessages("transformContext");
  }
  if (config.convertToLlm === keepLlmMessages) return createLlmContext(run.context, run.llmMessages.keep(messages));
  const converted = await gate.wait(config.convertToLlm(messages));
  // Its elements are not looked at: a conversion may be cheap, and this is done for every turn.
  if (!Array.isArray(converted)) throw notMessages("convertToLlm");
  return createLlmContext(run.context, converted);
}

/** A hook that gives nothing would send an empty conversation, or fail deep inside a provider. */
function notMessages(hook: string): Error {
  return new TypeError(`${hook} must return an array of messages`);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function showProgress(run: AgentRun, event: AssistantMessageEvent): Promise<void> | undefined {
  if (event.type === "done" || event.type === "error") return undefined;
  if (event.type === "start") {
    run.openAnswer = event.partial;
    return run.emit({ type: "message_start", message: { ...event.partial } });
  }
  // Without a start there is no message that could be updated.
  if (!run.openAnswer) return undefined;
  run.openAnswer = event.partial;
  if (event.type === "toolcall_start") run.openCalls.add(event.contentIndex);
  else if (event.type === "toolcall_end") run.openCalls.delete(event.contentIndex);
  return run.emit({ type: "message_update", message: { ...event.partial }, assistantMessageEvent: event });
}

async function endAnswer(run: AgentRun, message: AssistantMessage): Promise<AssistantMessage> {
  const begun = run.openAnswer !== undefined;
  run.openAnswer = undefined;
  run.add(message);
  if (!begun) await run.emit({ type: "message_start", message: { ...message } });
  await run.emit({ type: "message_end", message });
  return message;
}
