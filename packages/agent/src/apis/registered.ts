/**
 * Stands for `built-in.ts` in a bundle: sends through the apis that the program imports, so that a bundle does not
 * contain all of them. See `imports` in package.json.
 */
import { streamSimple as streamRegistered } from "pi-ai/stream";

const HINT =
  'A bundle contains only the apis that the program imports: import "pi-ai" for all of them, or pass a `streamFn`, such as streamSimpleAnthropic of "pi-ai/anthropic"';

export const streamSimple: typeof streamRegistered = (model, context, options) => {
  try {
    return streamRegistered(model, context, options);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith("No API provider registered"))) throw error;
    throw new Error(`${error.message}. ${HINT}`, { cause: error });
  }
};
