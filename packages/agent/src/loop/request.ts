/** Builds the request of a turn from the conversation, through the hooks of the application and of middleware. */
import type { Message } from "pi-ai";
import { isRecord } from "pi-ai/call";
import { askKey, buildStreamOptions } from "../settings.js";
import type { AgentContext } from "../types/agent-context.js";
import type { ModelRequest, TransformContextHook } from "../types/hooks.js";
import type { AgentMessage } from "../types/message.js";
import type { AnyAgentTool } from "../types/tool.js";
import type { AgentRun } from "./agent-run.js";
import { createLlmContext } from "./llm-context.js";
import { toKeptPartial } from "./llm-messages.js";

/**
 * Builds the request of this turn.
 *
 * @param tools those that it offers. Default: they are chosen now
 */
export async function buildRequest(
  run: AgentRun,
  tools: AgentContext["tools"] = offeredTools(run),
): Promise<ModelRequest> {
  const { gate, middleware, settings, transcript } = run;
  const { config, streamOptions } = settings;
  const { systemPrompt } = transcript.context;
  const all = transcript.messagesWithoutMarks();
  const seen = middleware.transformContext ? await transformMessages(run, middleware.transformContext, all) : all;
  const conversion = transcript.defaultConversion;
  const messages = conversion ? conversion.convert(seen) : await convertMessages(run, seen);
  const ownKey = config.getApiKey && (await gate.wait(askKey(config, config.model.provider)));
  gate.check();
  const apiKey = ownKey || config.apiKey;
  settings.useKey(apiKey);
  const request: ModelRequest = {
    model: config.model,
    context: createLlmContext(conversion?.addInstructions(systemPrompt) ?? systemPrompt, messages, tools),
    options: buildStreamOptions(streamOptions, apiKey, gate.signal),
  };
  return middleware.prepareRequest?.(request) ?? request;
}

/** The tools that the next request offers to the model. */
export function offeredTools({ middleware, transcript }: AgentRun): AnyAgentTool[] | undefined {
  const { tools } = transcript.context;
  return tools && middleware.chooseTools ? [...middleware.chooseTools(tools)] : tools;
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

/** Calls `convertToLlm`. The elements are not checked: that would cost a pass over the conversation in every turn. */
export async function convertMessages({ gate, settings }: AgentRun, messages: AgentMessage[]): Promise<Message[]> {
  const converted = await gate.wait(settings.config.convertToLlm(messages));
  if (!Array.isArray(converted)) throw notMessages("convertToLlm");
  if (settings.config.keepPartial === "text") return converted.map(toKeptPartial);
  return converted;
}

/** Without this check, a hook that returns nothing would send an empty conversation or fail deep inside a provider. */
function notMessages(hook: string): Error {
  return new TypeError(`${hook} must return an array of messages`);
}
