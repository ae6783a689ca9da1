/** Wall time of a fresh process: to import both packages, or to the first delta. */
import { bodyPath } from "../bodies.ts";
import type { Work } from "./measured.ts";

export const run: Work = async (side, { body, variant }, serverUrl) => {
  const begin = performance.now();
  if (variant === "import") {
    if (side === "ours") await Promise.all([import("pi-ai"), import("pi-agent")]);
    return performance.now() - begin;
  }
  if (variant === "catalogue") return side === "ours" ? readCatalogue() : 0;
  if (!body) throw new Error("a body is needed");
  const url = serverUrl + bodyPath(body);
  let first = Number.NaN;
  const onDelta = (): void => {
    if (Number.isNaN(first)) first = performance.now() - begin;
  };
  if (side === "ours") await (await import("../clients/ours.ts")).ourStream(url, body.protocol, onDelta);
  else await (await import("../clients/floor.ts")).floorStream(url, body.protocol, onDelta);
  return first;
};

/** Every model of every provider, in a process that has read none. */
async function readCatalogue(): Promise<number> {
  const { getModels, getProviders } = await import("pi-ai");
  const begin = performance.now();
  let models = 0;
  for (const provider of getProviders()) models += getModels(provider).length;
  if (models < 1000) throw new Error("too few models");
  return performance.now() - begin;
}
