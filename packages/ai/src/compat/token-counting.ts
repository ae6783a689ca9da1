/** Servers of Chat Completions that count the tokens of a request. */
import type { Model } from "../types/model.js";
import { isLoopback } from "../utils/loopback.js";

/**
 * Whether the server counts: llama.cpp and vLLM do (their documentation, 2026-11), and a question costs nothing on this
 * machine. The flag `supportsTokenCounting` of the model's `compat` decides first.
 */
export function countsTokens({ baseUrl, compat }: Model): boolean {
  const own: { supportsTokenCounting?: boolean } = compat ?? {};
  return own.supportsTokenCounting ?? isLoopback(baseUrl);
}
