/** Sends one request to a relay, and handles every failure before the response. */
import type { Context, Model } from "pi-ai";
import {
  AssistantMessageEventStream,
  collapseSystemMessages,
  collectSecrets,
  createAssistantMessage,
  DEFAULT_IDLE_TIMEOUT_MS,
  normalizeContext,
  type RelayOption,
  RequestGuard,
} from "pi-ai/call";
import { toNetworkError, toProxyFailure } from "./failure.js";
import type { ProxyStreamOptions } from "./options.js";
import { readProxyResponse } from "./read-proxy-response.js";

export interface ProxyRequestInput {
  model: Model;
  context: Context;
  options: ProxyStreamOptions;
}

// A record, so that a new option fails to compile here instead of being lost.
const SENT: Readonly<Record<RelayOption, true>> = {
  temperature: true,
  maxTokens: true,
  stopSequences: true,
  topP: true,
  seed: true,
  parallelToolCalls: true,
  verbosity: true,
  serviceTier: true,
  fallbacks: true,
  reasoning: true,
  cacheRetention: true,
  sessionId: true,
  headers: true,
  metadata: true,
  transport: true,
  thinkingBudgets: true,
  maxRetryDelayMs: true,
  toolChoice: true,
  foreignThinking: true,
  outputFormat: true,
  contextManagement: true,
};

/** Starts a request and returns its stream at once. */
export function runProxyRequest(input: ProxyRequestInput): AssistantMessageEventStream {
  const { signal, timeoutMs, idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS } = input.options;
  const guard = new RequestGuard({ signal, timeoutMs, idleTimeoutMs });
  const stream = new AssistantMessageEventStream({ onAbandoned: () => guard.abort() });
  void run(input, guard, stream);
  return stream;
}

async function run(input: ProxyRequestInput, guard: RequestGuard, stream: AssistantMessageEventStream): Promise<void> {
  const { model, options } = input;
  const secrets = collectSecrets([options.authToken, options.apiKey], options.headers, model.headers);
  try {
    guard.touch();
    const response = await guard.race(send(input, guard));
    await readProxyResponse({ response, model, stream, guard, secrets, options });
  } catch (error) {
    const { reason, ...facts } = toProxyFailure(guard.failure ?? error, { secrets, aborted: options.signal });
    stream.push({ type: "error", reason, error: { ...createAssistantMessage(model), stopReason: reason, ...facts } });
  } finally {
    guard.close();
  }
}

function send({ model, context, options }: ProxyRequestInput, guard: RequestGuard): Promise<Response> {
  // An agent passes neither: `streamFn: streamProxy` compiles.
  const { proxyUrl, authToken } = options;
  if (typeof proxyUrl !== "string" || typeof authToken !== "string")
    throw new Error("streamProxy needs proxyUrl and authToken");
  const body = JSON.stringify({
    model,
    context: collapseSystemMessages(normalizeContext(context)),
    options: pickSent(options),
  });
  if (guard.failure) throw guard.failure;
  const fetch = options.fetch ?? globalThis.fetch;
  const sending = fetch(`${proxyUrl}/api/stream`, {
    method: "POST",
    headers: { Authorization: `Bearer ${authToken}`, "Content-Type": "application/json" },
    body,
    signal: guard.signal,
    // The conversation and the token are sent only to this URL.
    redirect: "manual",
  });
  return sending.then(
    (response) => {
      // The request was aborted before this response arrived.
      if (guard.failure) response.body?.cancel().catch(() => {});
      return response;
    },
    (error) => {
      throw toNetworkError(error);
    },
  );
}

function pickSent(options: ProxyStreamOptions): object {
  // JSON leaves out undefined values.
  return Object.fromEntries(Object.keys(SENT).map((name) => [name, Reflect.get(options, name)]));
}
