/** Wall time from the call to the first delta, median of many calls. */
import { bodyPath } from "../bodies.ts";
import { floorStream } from "../clients/floor.ts";
import type { Work } from "./measured.ts";

const WARM_UP = 200;
const CALLS = 500;

export const run: Work = async (side, { body }, serverUrl) => {
  if (!body) throw new Error("a body is needed");
  const url = serverUrl + bodyPath(body);
  const ours = side === "ours" ? (await import("../clients/ours.ts")).ourStream : undefined;
  const times: number[] = [];
  for (let call = 0; call < WARM_UP + CALLS; call++) {
    const begin = performance.now();
    let first: number | undefined;
    const onDelta = (): void => {
      first ??= performance.now() - begin;
    };
    await (ours ? ours(url, body.protocol, onDelta) : floorStream(url, body.protocol, onDelta));
    if (call >= WARM_UP) times.push(first ?? Number.NaN);
  }
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)] ?? Number.NaN;
};
