/** Counts the tokens of a request. */
import type { Context } from "../types/context.js";
import type { ErrorInfo } from "../types/message.js";
import type { Model } from "../types/model.js";
import type { SimpleStreamOptions } from "../types/options.js";
import { estimateTokens } from "../utils/estimate-tokens.js";

/** How many tokens a request has, and who says so. */
export interface TokenCount {
  /** The tokens of the prompt: system prompt, messages and tools. */
  tokens: number;
  /** `provider`: counted by the provider's own endpoint. `estimate`: see `estimateTokens`. */
  source: "provider" | "estimate";
  /** Why the provider did not count. */
  reason?: string;
  /** The facts of the failure, if the endpoint was asked. */
  error?: ErrorInfo;
}

/**
 * Counts the tokens of a request without sending it to the model. Anthropic (`/v1/messages/count_tokens`), OpenAI
 * (`/responses/input_tokens`), Gemini (`countTokens`, also on Vertex) and Bedrock (`CountTokens`) have an endpoint for it;
 * for other apis, and where the endpoint fails, the count is an estimate. Never rejects.
 *
 * @param options as for `streamSimple`: the key, the signal, and what changes the request, such as `reasoning`
 */
export async function countTokens(
  model: Model,
  context: Context,
  options: SimpleStreamOptions = {},
): Promise<TokenCount> {
  const { countAtProvider } = await import("./provider-count.js");
  const count = await countAtProvider(model, context, options);
  if ("tokens" in count) return { tokens: count.tokens, source: "provider" };
  const { failure, error } = count;
  return { tokens: estimateTokens(context, model), source: "estimate", reason: failure, ...(error && { error }) };
}
