/** The least that a client can do: fetch, split lines, `JSON.parse` each event, one string, one callback for a delta. */
import type { Protocol } from "../bodies.ts";

/** The fields of all four protocols that hold a delta. */
interface WireEvent {
  type?: string;
  delta?: string | { text?: string; partial_json?: string };
  choices?: { delta: { content?: string; tool_calls?: { function: { arguments: string } }[] } }[];
  candidates?: { content: { parts: { text: string }[] } }[];
}

const DELTA: Record<Protocol, (event: WireEvent) => string | undefined> = {
  "anthropic-messages": ({ delta }) => (typeof delta === "object" ? (delta.text ?? delta.partial_json) : undefined),
  "openai-completions": ({ choices }) =>
    choices?.[0]?.delta.content ?? choices?.[0]?.delta.tool_calls?.[0]?.function.arguments,
  "openai-responses": ({ delta }) => (typeof delta === "string" ? delta : undefined),
  "google-generative-ai": ({ candidates }) => candidates?.[0]?.content.parts[0]?.text,
};

export interface FloorAnswer {
  text: string;
  deltas: number;
}

export async function floorStream(
  url: string,
  protocol: Protocol,
  onDelta: (delta: string) => void,
): Promise<FloorAnswer> {
  const read = DELTA[protocol];
  const response = await fetch(url, { method: "POST", body: "{}" });
  if (!response.body) throw new Error("no body");
  const decoder = new TextDecoder();
  let buffer = "";
  let text = "";
  let deltas = 0;
  for await (const chunk of response.body) {
    buffer += decoder.decode(chunk, { stream: true });
    let from = 0;
    for (let end = buffer.indexOf("\n"); end !== -1; end = buffer.indexOf("\n", from)) {
      const line = buffer.slice(from, end);
      from = end + 1;
      if (!line.startsWith("data: {")) continue;
      const delta = read(JSON.parse(line.slice(6)) as WireEvent); // prepared by us
      if (delta === undefined) continue;
      text += delta;
      deltas++;
      onDelta(delta);
    }
    buffer = buffer.slice(from);
  }
  return { text, deltas };
}
