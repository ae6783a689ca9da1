/** Preserved thinking of Claude: a block is valid only after the prompt, the tools and the messages it was written after. */

import type { PiError } from "../errors.js";
import type { WireRequest } from "../transport/index.js";

/** The beta that `block_binding` needs (platform.claude.com, "Preserved thinking"; `@anthropic-ai/sdk` 1.12; 2026-11). */
export const BINDING_BETA = "thinking-binding-controls-2026-08-01";

/**
 * A field of `thinking`: the server leaves out blocks whose prefix has changed, and reports them in
 * `input_transformations`, instead of rejecting the request. Dropped blocks cost nothing.
 */
export const DROPS_BROKEN_THINKING: object = { block_binding: { prefix_mismatch_behavior: "drop_block" } };

/** The request without the thinking that the provider rejected; undefined for another error. */
export async function repairThinking(error: PiError, wireRequest: WireRequest): Promise<WireRequest | undefined> {
  const { withoutRejectedThinking } = await import("./repair-thinking.js");
  return withoutRejectedThinking(error, wireRequest);
}
