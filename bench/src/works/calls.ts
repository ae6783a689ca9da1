/** Short responses: CPU time of a number of requests, one after the other or several at a time. */
import { bodyPath } from "../bodies.ts";
import { offered } from "../not-offered.ts";
import { measureCost, type Work } from "./measured.ts";

const AT_ONCE = 64;

export const run: Work = async ({ client, input: { body, variant }, serverUrl }) => {
  const stream = offered(client.stream);
  const { protocol, kind, size } = offered(body);
  const url = serverUrl + bodyPath(offered(body));
  const call = async (): Promise<void> => {
    const deltas = await stream({ url, protocol, kind }, () => {});
    if (deltas < size) throw new Error(`received ${deltas} of ${size} deltas`);
  };
  const lanes = variant === "at once" ? AT_ONCE : 1;
  return measureCost(() => runLanes(call, CALLS, lanes));
};

/** Calls in one run. */
const CALLS = 1000;

async function runLanes(call: () => Promise<void>, calls: number, lanes: number): Promise<void> {
  let left = calls;
  const lane = async (): Promise<void> => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
