/** Wall time from the start of a request to the first delta, median of many requests. */
import { bodyPath } from "../bodies.ts";
import { offered } from "../not-offered.ts";
import { median } from "../statistics.ts";
import type { Work } from "./measured.ts";

const WARM_UP = 500;
const CALLS = 400;

export const run: Work = async ({ client, input: { body }, serverUrl }) => {
  const stream = offered(client.stream);
  const { protocol, kind } = offered(body);
  const url = serverUrl + bodyPath(offered(body));
  const times: number[] = [];
  for (let call = 0; call < WARM_UP + CALLS; call++) {
    const begin = performance.now();
    let first: number | undefined;
    await stream({ url, protocol, kind }, () => {
      first ??= performance.now() - begin;
    });
    if (call >= WARM_UP) times.push(first ?? Number.NaN);
  }
  return { value: median(times) };
};
