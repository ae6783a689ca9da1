/**
 * A minimal wire format, to test the driver alone. Its events: `{ text }`, `{ usage }`, `{ stop }` (the reason), `{
 * over }` (the end) and `{ error }`.
 */

import type { Model, StopReason } from "pi-ai";
import { type ApiAdapter, createStreamError, toWireResponse, type UsageCounts } from "pi-ai/adapter";

interface PlainEvent {
  text?: string;
  usage?: UsageCounts;
  stop?: StopReason;
  why?: string;
  over?: true;
  error?: unknown;
}

export const plainAdapter: ApiAdapter = {
  api: "plain",
  endedEarly: "The plain stream ended too early",
  simpleOptions: (_, options) => options,
  buildRequest: ({ model, context, options, apiKey }) => ({
    baseUrl: model.baseUrl,
    path: "/plain",
    headers: { ...model.headers, ...options.headers },
    body: { messages: context.messages, cacheRetention: options.cacheRetention },
    apiKey,
  }),
  send: async (request, _, io) =>
    toWireResponse(
      await io.fetch(`${request.baseUrl}${request.path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${request.apiKey}` },
        body: JSON.stringify(request.body),
        signal: io.signal,
      }),
      "sse",
    ),
  createMapping:
    ({ model }) =>
    (raw, sink) => {
      const event = raw as PlainEvent; // the tests send nothing else
      if (event.error) throw createStreamError(event, model.provider);
      if (event.usage) sink.usage(event.usage);
      if (event.text) {
        sink.ensure("text", { type: "text" });
        sink.append("text", event.text);
      }
      if (event.stop) sink.stop(event.stop, event.why);
      return event.over ?? false;
    },
};

export const plainModel: Model = {
  id: "m",
  name: "M",
  api: "plain",
  provider: "test-provider",
  baseUrl: "https://api.test",
  reasoning: false,
  input: ["text"],
  cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
  contextWindow: 1000,
  maxTokens: 100,
};

/** Events as a body of server-sent events. */
export function sse(...events: readonly PlainEvent[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
}

export const END: string = sse({ stop: "stop" }, { over: true });
