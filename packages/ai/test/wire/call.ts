/** Builds the request that a recording responds to. */
import { Type } from "@sinclair/typebox";
import type { Context, Model, ProviderStreamOptions, Tool } from "pi-ai";
import { testsOf } from "../protocols/all-apis.js";
import { CANARIES } from "../support/credentials.js";
import type { Recording } from "./recordings.js";

/** Names of recordings that differ from those of the catalogue. */
const PROVIDERS: Readonly<Record<string, string>> = {
  azure: "azure-openai-responses",
  "chatgpt-codex": "openai",
  cloudflare: "cloudflare-workers-ai",
  "vercel-gateway": "vercel-ai-gateway",
};

/** A model at the given address. Each kind of token costs one dollar per million, so that costs show the counts. */
export function modelFor({ api, facts }: Recording, url: string): Model {
  const id = facts.requestModel ?? facts.model ?? "unnamed";
  return {
    id,
    name: id,
    api,
    provider: PROVIDERS[facts.provider] ?? facts.provider,
    baseUrl: `${url}${testsOf(api).recordings?.basePath ?? ""}`,
    reasoning: facts.features?.some((feature) => /thinking|reasoning/.test(feature)) ?? false,
    input: ["text", "image"],
    cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
    contextWindow: 1_000_000,
    maxTokens: 8192,
  };
}

/** A short question, with a tool for each tool call of the response. */
export function contextFor(recording: Recording): Context {
  const calls = recording.kind === "stream" ? (recording.truth.toolCalls ?? []) : [];
  const names = new Set(calls.map((call) => call.name).filter((name) => name !== ""));
  const tools = Array.from(names, (name): Tool => ({ name, description: name, parameters: Type.Object({}) }));
  return {
    messages: [{ role: "user", content: "Hello.", timestamp: 0 }],
    ...(tools.length > 0 ? { tools } : {}),
  };
}

export function optionsFor({ api }: Recording): ProviderStreamOptions {
  return { apiKey: CANARIES.apiKey, maxRetries: 0, ...testsOf(api).recordings?.options };
}
