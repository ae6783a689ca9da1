/** Many streams at once in one process. */
import { bodyPath } from "../bodies.ts";
import { offered } from "../not-offered.ts";
import { cpuTime, type Work } from "./measured.ts";

/** Streams one after the other before; they leave little memory behind. */
const WARM_UP = 400;

export const run: Work = async ({ client, input: { body, size = 0 }, serverUrl }) => {
  const stream = offered(client.stream);
  const { protocol, kind } = offered(body);
  const url = serverUrl + bodyPath(offered(body));
  const once = (): Promise<unknown> => stream({ url, protocol, kind }, () => {});
  for (let index = 0; index < WARM_UP; index++) await once();
  globalThis.gc?.();
  const before = process.memoryUsage.rss() / 1024;
  const value = await cpuTime(() => Promise.all(Array.from({ length: size }, once)));
  return { value, kilobytesEach: (process.resourceUsage().maxRSS - before) / size };
};
