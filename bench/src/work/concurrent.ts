/** Many streams at once in one process. */
import { bodyPath } from "../bodies.ts";
import { floorStream } from "../clients/floor.ts";
import { cpuTime, type Work } from "./measured.ts";

export const run: Work = async (side, { body, variant }, serverUrl) => {
  if (!body) throw new Error("a body is needed");
  const url = serverUrl + bodyPath(body);
  const nothing = (): void => {};
  const ours = side === "ours" ? (await import("../clients/ours.ts")).ourStream : undefined;
  const once = (): Promise<unknown> =>
    ours ? ours(url, body.protocol, nothing) : floorStream(url, body.protocol, nothing);
  await once();
  return cpuTime(() => Promise.all(Array.from({ length: Number(variant) }, once)));
};
