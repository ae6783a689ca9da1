/** Builds the request of a turn from the conversation, through the hooks of the application and of middleware. */
import type { Message } from "pi-ai";
import { isRecord } from "pi-ai/call";
import type { ModelRequest, TransformContextHook } from "../types/hooks.js";
import type { AgentMessage } from "../types/message.js";
import { isPending } from "./abort-gate.js";
import type { AgentRun } from "./agent-run.js";
import { keepLlmMessages } from "./defaults.js";
import { checkMessages, createLlmContext, notMessages } from "./llm-messages.js";
import { buildStreamOptions } from "./settings/index.js";

/** Builds the request of this turn. Returns a promise only if a hook has to be waited for. */
export function prepareRequest(run: AgentRun): ModelRequest | Promise<ModelRequest> {
  const { transformContext } = run.config;
  if (!transformContext) return buildFrom(run, run.context.messages);
  return transformMessages(run, transformContext, run.context.messages).then((seen) => buildFrom(run, seen));
}

/** Calls `transformContext`. */
export async function transformMessages(
  { gate }: AgentRun,
  transformContext: TransformContextHook,
  messages: AgentMessage[],
): Promise<AgentMessage[]> {
  const returned = await gate.wait(transformContext(messages, gate.signal));
  if (!Array.isArray(returned) || !returned.every(isRecord)) throw notMessages("transformContext");
  return returned;
}

function buildFrom(run: AgentRun, messages: AgentMessage[]): ModelRequest | Promise<ModelRequest> {
  const converted = run.gate.wait(convertMessages(run, messages));
  if (isPending(converted) || run.config.getApiKey) return buildLater(run, converted);
  return buildRequest(run, converted, undefined);
}

async function buildLater(run: AgentRun, converted: Message[] | Promise<Message[]>): Promise<ModelRequest> {
  const { config, gate } = run;
  const messages = isPending(converted) ? await converted : converted;
  checkMessages(messages);
  const ownKey = config.getApiKey ? await gate.wait(config.getApiKey(config.model.provider)) : undefined;
  return buildRequest(run, messages, ownKey);
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
  const request: ModelRequest = { model: config.model, context, options };
  return run.middleware.prepareRequest?.(request) ?? request;
}
