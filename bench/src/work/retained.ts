/** Heap that stays after a stream, with its final message or with all its events held; in kilobytes. */
import { setTimeout as pause } from "node:timers/promises";
import { bodyPath } from "../bodies.ts";
import { offered } from "../not-offered.ts";
import type { Work } from "./measured.ts";

const held: unknown[] = [];

export const run: Work = async ({ client, input: { body, variant }, serverUrl }) => {
  const keep = offered(client.keep);
  const { protocol, kind } = offered(body);
  const url = serverUrl + bodyPath(offered(body));
  const once = (): Promise<unknown> => keep({ url, protocol, kind }, variant === "events" ? "events" : "message");
  await once();
  await once();
  const before = await settledHeap();
  held.push(await once());
  return { value: ((await settledHeap()) - before) / 1024 };
};

async function settledHeap(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await pause(20);
  }
  return process.memoryUsage().heapUsed;
}
