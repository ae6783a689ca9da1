/** Heap that stays after a stream, with its final message or with all its events held; in kilobytes. */
import { type AssistantMessage, type AssistantMessageEvent, stream } from "pi-ai";
import { bodyPath } from "../bodies.ts";
import { floorStream } from "../clients/floor.ts";
import { benchModel } from "../clients/ours.ts";
import type { Work } from "./measured.ts";

const held: unknown[] = [];

export const run: Work = async (side, { body, variant }, serverUrl) => {
  if (!body) throw new Error("a body is needed");
  const url = serverUrl + bodyPath(body);
  const once =
    side === "floor" ? () => keepFloor(url, body.protocol, variant) : () => keepOurs(url, body.protocol, variant);
  await once();
  await once();
  const before = await settledHeap();
  held.push(await once());
  return ((await settledHeap()) - before) / 1024;
};

async function keepFloor(
  url: string,
  protocol: Parameters<typeof floorStream>[1],
  variant: string | undefined,
): Promise<unknown> {
  const events: unknown[] = [];
  let text = "";
  await floorStream(url, protocol, (delta) => {
    text += delta;
    if (variant === "events") events.push({ type: "text_delta", delta, text });
  });
  return variant === "events" ? events : { text };
}

async function keepOurs(
  url: string,
  protocol: Parameters<typeof floorStream>[1],
  variant: string | undefined,
): Promise<AssistantMessage | AssistantMessageEvent[]> {
  const events: AssistantMessageEvent[] = [];
  const answer = stream(
    benchModel(protocol, url),
    { messages: [{ role: "user", content: "Hello.", timestamp: 1 }] },
    { apiKey: "bench-key" },
  );
  for await (const event of answer) if (variant === "events") events.push(event);
  return variant === "events" ? events : answer.result();
}

async function settledHeap(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return process.memoryUsage().heapUsed;
}
