/** Heap kept after a stream while its final message or all its events are held, in kilobytes. */
import { setTimeout as pause } from "node:timers/promises";
import { bodyPath } from "../bodies.ts";
import { offered } from "../not-offered.ts";
import type { Work } from "./measured.ts";

const held: unknown[] = [];

/** The number of streams that run before the measurement, so that compiled code, pools and caches are not measured. */
const WARM_UP = 25;
const HELD = 20;

export const run: Work = async ({ client, input: { body, variant }, serverUrl }) => {
  const keep = offered(client.keep);
  const { protocol, kind } = offered(body);
  const url = serverUrl + bodyPath(offered(body));
  const once = (): Promise<unknown> => keep({ url, protocol, kind }, variant === "events" ? "events" : "message");
  for (let index = 0; index < WARM_UP; index++) await once();
  const before = await settledHeap();
  for (let index = 0; index < HELD; index++) held.push(await once());
  return { value: ((await settledHeap()) - before) / 1024 / HELD };
};

async function settledHeap(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await pause(20);
  }
  return process.memoryUsage().heapUsed;
}
