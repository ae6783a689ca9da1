/** Builds the request of a turn from the conversation, through the hooks of the application. */
import type { Message } from "pi-ai";
import { buildStreamOptions } from "../settings/stream-options.js";
import type { AgentMessage } from "../types/message.js";
import type { ModelRequest } from "../types/model-request.js";
import type { AgentRun } from "./agent-run.js";
import { checkMessages, createLlmContext, keepLlmMessages } from "./llm-messages.js";
import { isPending } from "./promises.js";

/**
 * Builds the request from messages that `transformContext` has returned. Returns a promise only if a hook has to be waited
 * for.
 */
export function prepareRequest(run: AgentRun, messages: AgentMessage[]): ModelRequest | Promise<ModelRequest> {
  const converted = run.gate.wait(convertMessages(run, messages));
  if (isPending(converted) || run.config.getApiKey) return prepareLater(run, converted);
  return buildRequest(run, converted, undefined);
}

async function prepareLater(run: AgentRun, converted: Message[] | Promise<Message[]>): Promise<ModelRequest> {
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
  let request: ModelRequest = { model: config.model, context, options };
  for (const hooks of run.middleware.all) request = hooks.prepareRequest?.(request) ?? request;
  return request;
}
