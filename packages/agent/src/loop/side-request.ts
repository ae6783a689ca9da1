/** Requests that hooks send beside the conversation, or build anew. Few runs load this module. */
import type { AssistantMessage, Message, SimpleStreamOptions } from "pi-ai";
import { collectSecrets, formatThrownValue, redact } from "pi-ai/call";
import { STREAM_OPTIONS } from "../settings/stream-options.js";
import { isRunStopped } from "../stopped-run.js";
import type { SideRequest, WrapModelCallHook } from "../types/hooks.js";
import type { AgentMessage } from "../types/message.js";
import type { ModelRequest } from "../types/model-request.js";
import type { AgentRun } from "./agent-run.js";
import { checkMessages } from "./llm-messages.js";
import { prepareRequest } from "./prepare-request.js";
import { ignoreIfUnused } from "./promises.js";
import { sendRequest } from "./send-request.js";
import { transformMessages } from "./transform-messages.js";

/** See `HookRun.prepare`. */
export async function prepareAgain(run: AgentRun): Promise<ModelRequest> {
  run.gate.check();
  return prepareRequest(run, run.config.transformContext ? await transformMessages(run) : run.context.messages);
}

/** See `HookRun.toLlm`. */
export async function convertBeside(run: AgentRun, messages: readonly AgentMessage[]): Promise<Message[]> {
  const { config, gate } = run;
  gate.check();
  const seen = config.transformContext
    ? await transformMessages(run, messages.slice(), "without add")
    : messages.slice();
  const converted = await gate.wait(config.convertToLlm(seen));
  checkMessages(converted);
  return converted;
}

/** See `HookRun.request`. */
export function sendBeside(
  run: AgentRun,
  side: SideRequest,
  wrapModelCall: WrapModelCallHook | undefined,
): Promise<AssistantMessage> {
  const sent = send(run, side, wrapModelCall);
  run.pendingSide.add(sent);
  const leave = (): void => void run.pendingSide.delete(sent);
  sent.then(leave, leave);
  return ignoreIfUnused(sent);
}

async function send(
  run: AgentRun,
  { model, context, options, streamFn = run.streamFn }: SideRequest,
  wrapModelCall: WrapModelCallHook | undefined,
): Promise<AssistantMessage> {
  const { gate, config, streamOptions } = run;
  gate.check();
  const isSame = model.provider === config.model.provider;
  const ownKey = config.getApiKey && (await gate.wait(config.getApiKey(model.provider)));
  const apiKey = options?.apiKey ?? (ownKey || (isSame ? config.apiKey : undefined));
  const request: ModelRequest = {
    model,
    context,
    options: {
      ...pickShared(run, isSame),
      ...options,
      ...(apiKey && { apiKey }),
      ...(gate.signal && { signal: gate.signal }),
    },
  };
  const sendOnce = async (next: ModelRequest): Promise<AssistantMessage> => {
    const silent = { gate, streamOptions, showProgress: () => undefined };
    const response = await sendRequest({ gate, streamFn }, next, silent);
    run.sideResponses.push(response);
    return response;
  };
  try {
    if (!wrapModelCall) return await sendOnce(request);
    const sendNext = (next: ModelRequest): Promise<AssistantMessage> => ignoreIfUnused(sendOnce(next));
    return await gate.waitWithGrace(
      Promise.resolve(wrapModelCall(request, sendNext, gate.signal, run.hookRun && { ...run.hookRun, isSide: true })),
    );
  } catch (error) {
    if (gate.aborted || isRunStopped(error)) throw error;
    // A stream function may quote the key that it received, and a hook may store the text.
    const secrets = collectSecrets([apiKey], request.options.headers, model.headers);
    throw new Error(redact(formatThrownValue(error), secrets));
  }
}

/** The options of the run that a request beside the conversation has, too. */
function pickShared({ streamOptions }: AgentRun, isSame: boolean): SimpleStreamOptions {
  const rules: Readonly<Record<string, boolean>> = STREAM_OPTIONS;
  const isShared = (name: string): boolean => {
    // Options of a single api, and what may hold a key or name a user, stay with their provider.
    if (!Object.hasOwn(rules, name) || name === "headers" || name === "metadata") return isSame;
    return rules[name] ?? false;
  };
  return Object.fromEntries(Object.entries(streamOptions).filter(([name]) => isShared(name)));
}
