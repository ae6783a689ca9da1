/** How a model is called where nothing else was said. */
import type { StreamFn } from "../types/config.js";

/**
 * `streamSimple` of pi-ai, loaded at the first call: who calls models in another way, through a proxy for example, does
 * not load the providers and their catalogue.
 */
export const streamWithProviders: StreamFn = async (model, context, options) => {
  const { streamSimple } = await import("pi-ai");
  return streamSimple(model, context, options);
};
