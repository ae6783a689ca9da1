/** A relay in front of a scripted provider. */

import type { Model } from "pi-ai";
import { createApiProvider } from "pi-ai/adapter";
import { createProxyHandler, type ProxyHandler, type ProxyHandlerOptions, type ProxyUsage } from "pi-ai/proxy-server";
import { expect } from "vitest";
import { END, plainAdapter, plainModel, sse } from "./plain-adapter.js";
import { type Script, type ScriptedRequest, type ScriptedResponse, scriptFetch } from "./scripted-fetch.js";

export const TOKEN = "the-good-token";
export const KEY = "sk-provider-key-123456";
export const MODEL: Model = { ...plainModel, headers: { "x-vendor": "ours" } };
export const good: ScriptedResponse = {
  pieces: [sse({ usage: { input: 5 } }, { text: "Hel" }, { text: "lo" }, { usage: { output: 2 } }), END],
};

/** A valid request. */
export const BODY: { model: object; context: { messages: object[] }; options: object } = {
  model: { provider: MODEL.provider, id: MODEL.id },
  context: { messages: [{ role: "user", content: "Hi", timestamp: 1 }] },
  options: {},
};

export interface Setup extends Partial<ProxyHandlerOptions<string>> {
  scripts?: Script[];
}

export interface TestProxy {
  handler: ProxyHandler;
  usages: ProxyUsage<string>[];
  /** The requests that reached the provider. */
  requests: ScriptedRequest[];
}

export function setUp({ scripts = [good], ...options }: Setup = {}): TestProxy {
  const provider = createApiProvider(plainAdapter);
  const upstream = scriptFetch(...scripts);
  const usages: ProxyUsage<string>[] = [];
  const handler = createProxyHandler<string>({
    authorize: TOKEN,
    allowModels: ["test-provider/*"],
    getApiKey: () => KEY,
    getModel: (name, id) => (name === MODEL.provider && id === MODEL.id ? MODEL : undefined),
    streamFn: (model, context, streamOptions) =>
      provider.streamSimple(model, context, { maxRetries: 0, ...streamOptions, fetch: upstream.fetch }),
    onUsage: (usage) => void usages.push(usage),
    ...options,
  });
  return { handler, usages, requests: upstream.requests };
}

export function post(body: unknown = BODY, init: RequestInit = {}): Request {
  return new Request("https://app.test/api/stream", {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...init,
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...init.headers },
  });
}

export async function refusal(response: Response): Promise<[number, string]> {
  expect(response.headers.get("content-type")).toMatch(/^application\/json/);
  return [response.status, (await response.json()).error];
}

export async function eventsOf(response: Response): Promise<Record<string, unknown>[]> {
  const text = await response.text();
  return Array.from(text.matchAll(/^data: (.*)$/gm), ([, json]) => JSON.parse(json ?? ""));
}
