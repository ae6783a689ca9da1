/** The model that the local server plays. */
import type { Model } from "pi-ai";
import type { Protocol } from "../bodies.ts";

export function benchModel(protocol: Protocol, baseUrl: string): Model {
  return {
    id: "m",
    name: "m",
    api: protocol,
    provider: "bench",
    baseUrl,
    reasoning: false,
    input: ["text"],
    cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
    contextWindow: 1_000_000,
    maxTokens: 8192,
  };
}
