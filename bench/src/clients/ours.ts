/** pi-ai, on the same prepared bodies. */
import { type AssistantMessageEvent, type Model, stream } from "pi-ai";
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

const CONTEXT = { messages: [{ role: "user" as const, content: "Hello.", timestamp: 1 }] };

/** Streams, and hands every delta event on. */
export async function ourStream(
  url: string,
  protocol: Protocol,
  onDelta: (event: AssistantMessageEvent & { delta: string }) => void,
): Promise<number> {
  let deltas = 0;
  const answer = stream(benchModel(protocol, url), CONTEXT, { apiKey: "bench-key" });
  for await (const event of answer) {
    if (!("delta" in event)) continue;
    deltas++;
    onDelta(event);
  }
  const message = await answer.result();
  if (message.errorMessage) throw new Error(message.errorMessage);
  return deltas;
}
