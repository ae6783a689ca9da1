/** Counts the tokens of a request. */
import type { ContextInput } from "../types/context-input.js";
import type { ErrorInfo } from "../types/message.js";
import type { Model } from "../types/model.js";
import type { SimpleStreamOptions } from "../types/options.js";
import { estimateTokens } from "./estimate-tokens.js";
import { checkRequest, countAtProvider } from "./provider-count.js";

/** The number of tokens in a request, and its source. */
export interface TokenCount {
  /** The tokens of the prompt: system prompt, messages and tools. */
  tokens: number;
  /** `provider`: counted by the provider's own endpoint. `estimate`: see `estimateTokens`. */
  source: "provider" | "estimate";
  /** Why the provider did not count. */
  reason?: string;
  /** The failure, if a request to the endpoint failed. */
  error?: ErrorInfo;
}

/**
 * Counts the tokens of a request without sending it to the model. Servers of Chat Completions on this machine
 * (`/chat/completions/input_tokens` or `/tokenize`), Anthropic (`/v1/messages/count_tokens`), OpenAI
 * (`/responses/input_tokens`), Gemini (`countTokens`, also on Vertex) and Bedrock (`CountTokens`) have an endpoint for it;
 * for other apis, or if the endpoint fails, the count is an estimate. Never rejects for a reason outside the program.
 *
 * @param input as for `streamSimple`: the context, or a prompt
 * @param options as for `streamSimple`: the key, the signal, and options that change the request, such as `reasoning`
 * @throws ConfigError for a model, a context or options of another type
 */
export async function countTokens(
  model: Model,
  input: string | ContextInput,
  options: SimpleStreamOptions = {},
): Promise<TokenCount> {
  const context = checkRequest(model, input, options);
  const count = await countAtProvider(model, context, options);
  if ("tokens" in count) return { tokens: count.tokens, source: "provider" };
  const { failure, error } = count;
  return { tokens: estimateTokens(context, model), source: "estimate", reason: failure, ...(error && { error }) };
}
