/** Wall time of a new process: to import the modules of an agent, or to the first delta. */
import { bodyPath } from "../bodies.ts";
import { offered } from "../not-offered.ts";
import type { Work, WorkContext } from "./measured.ts";

export const run: Work = async (context) => {
  const { client, input } = context;
  if (input.variant === "catalogue") return { value: context.side === "ours" ? await readCatalogue() : 0 };
  if (input.variant === "first-delta") return { value: await timeFirstDelta(context) };
  const begin = performance.now();
  await client.importRoot();
  return { value: performance.now() - begin };
};

async function timeFirstDelta({ client, input, serverUrl }: WorkContext): Promise<number> {
  const { protocol, kind, ...body } = offered(input.body);
  const begin = performance.now();
  let first: number | undefined;
  const url = serverUrl + bodyPath({ protocol, kind, ...body });
  await offered(client.stream)({ url, protocol, kind }, () => {
    first ??= performance.now() - begin;
  });
  return first ?? Number.NaN;
}

/** Reads every model of every provider, in a process that has read none before. */
async function readCatalogue(): Promise<number> {
  const { getModels, getProviders } = await import("pi-ai");
  const begin = performance.now();
  let models = 0;
  for (const provider of getProviders()) models += getModels(provider).length;
  if (models < 1000) throw new Error("too few models");
  return performance.now() - begin;
}
