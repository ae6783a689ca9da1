/** The stream function of an agent whose options name none. */
import type { StreamFn } from "../types/hooks.js";

/**
 * `streamSimple` of pi-ai, loaded at the first request: an application with its own stream function, such as
 * `streamProxy`, does not load the providers and their catalogue.
 */
export const streamWithProviders: StreamFn = async (model, context, options) => {
  const { streamSimple } = await import("./built-in.js");
  return streamSimple(model, context, options);
};
