/**
 * Detects that a conversation no longer fits the model's context window. Errors of this library carry that as their
 * kind. The text patterns are for errors known only by their text: stored messages, other hosts, servers that respond
 * 400 to everything.
 */
import type { AssistantMessage, ErrorKind } from "../types/message.js";

/** Each with the vendor that uses it. Repetitions are bounded, because the texts are untrusted. */
const OVERFLOW_TEXTS: readonly RegExp[] = [
  /prompt is too long/i, // Anthropic
  /request_too_large/i, // Anthropic, by size
  /input length and `?max_tokens`? exceed context limit/i, // Anthropic, with the output
  /input is too long for requested model/i, // Amazon Bedrock
  /input tokens exceeded/i, // Amazon Bedrock
  /too many input tokens/i, // Amazon Bedrock, Titan
  /exceeds the context window/i, // OpenAI
  /exceeds (?:the )?(?:model'?s )?maximum context length of [\d,]{1,15} tokens/i, // LiteLLM
  /context ?window ?exceeded/i, // LiteLLM, before it sends the request
  /input token count.{0,80}exceeds the maximum/i, // Google
  /input token count is [\d,]{1,15} but (?:the )?model only supports up to \d/i, // Google Vertex
  /maximum prompt length is \d/i, // xAI
  /reduce the length of the messages/i, // Groq
  /maximum context length (?:is \d[\d,]{0,15} tokens|\(\d)/i, // OpenRouter, vLLM
  /input \([\d,]{1,15} tokens\) is longer than the model'?s context length \([\d,]{1,15} tokens\)/i, // Together
  /the model'?s context length is only \d/i, // vLLM
  /prompt \(length [\d,]{1,15}\) is longer than the maximum model length/i, // vLLM
  /exceeds the model'?s maximum context length/i, // SGLang
  /`?inputs`? (?:tokens \+ `?max_new_tokens`? must be|must have less than \d)/i, // Hugging Face TGI, Together
  /request body too large for .{1,100} model\. max size/i, // GitHub Models
  /current length is \d{1,15} while limit is \d/i, // Cerebras
  /exceeded this model context window limit/i, // Cloudflare
  /exceeds the limit of \d/i, // GitHub Copilot
  /exceeds the available context size/i, // llama.cpp
  /context size has been exceeded/i, // llama.cpp, in mid-stream
  /greater than the context length/i, // LM Studio
  /input does not fit in (?:the )?context length/i, // LM Studio
  /prompt is longer than the context length/i, // Ollama
  /too_many_prompt_tokens/i, // Perplexity
  /trying to keep the first \d{1,15} tokens when context/i, // LM Studio
  /context window exceeds limit/i, // MiniMax
  /exceeded model token limit/i, // Kimi
  /too large for model with [\d,]{1,15} maximum context length/i, // Mistral
  /model_context_window_exceeded/i, // z.ai
  /\bprompt too long\b/i, // z.ai
  /prompt exceeds max(?:imum)? length/i, // z.ai, China
  /prompt too long; exceeded (?:max )?context length/i, // Ollama
  /input length exceeds (?:the )?(?:maximum )?context length/i, // Ollama
  /maximum allowed input length of \d/i, // Poolside
  /prompt has [\d,]{1,15} tokens, but the configured context size is \d/i, // DS4
  /range of input length should be/i, // DashScope
  /context[_ ]length[_ ]exceeded/i, // many
  /too many tokens/i, // many
  /token limit exceeded/i, // many
  /^413\b/, // many vendors, by the HTTP status
];

/** By provider: texts that are too vague to mean overflow from any other. */
const VAGUE_TEXTS: ReadonlyMap<string, RegExp> = new Map([["cerebras", /^4(?:00|13)\b.{0,40}\(no body\)/i]]);

/** Texts about rate limits, some of which use the same words. */
const NOT_OVERFLOW: readonly RegExp[] = [
  /^(?:throttling(?: error|exception)?|service unavailable):/i,
  /rate[ _-]limit/i,
  /too many requests/i,
  // Amazon Bedrock: tokens per minute or per day.
  /please wait before trying again/i,
  // Cerebras: "Tokens per minute limit exceeded - too many tokens processed." (anomalyco/opencode#7463, continuedev/continue#9800)
  /tokens per (?:minute|hour|day) limit|too many tokens per (?:minute|hour|day)/i,
];

/** Kinds that do not identify the cause, so that the text decides. */
const VAGUE_KINDS: ReadonlySet<ErrorKind> = new Set(["unknown", "invalid_request", "server", "protocol"]);

/** If an empty response ended for length and its prompt filled this share of the window, the window was full. */
const FULL = 0.99;

/**
 * Whether a response failed, or is useless, because the conversation exceeds the model's context window.
 *
 * @param contextWindow in tokens. With it, two silent forms are detected too: a response to a prompt that exceeds the
 * window (z.ai truncates the prompt), and an empty response that ended for length with a full window (Xiaomi).
 */
export function isContextOverflow(message: AssistantMessage, contextWindow?: number): boolean {
  if (message.stopReason === "error") return isOverflowError(message);
  if (!contextWindow) return false;
  const { input, cacheRead, cacheWrite, output } = message.usage;
  const prompt = input + cacheRead + cacheWrite;
  if (message.stopReason === "stop") return prompt > contextWindow;
  return message.stopReason === "length" && output === 0 && prompt >= FULL * contextWindow;
}

/** A copy of the error patterns that mean overflow from any provider. */
export function getOverflowPatterns(): RegExp[] {
  return OVERFLOW_TEXTS.map((pattern) => new RegExp(pattern));
}

/** Whether an error text reports overflow. */
export function matchesOverflow(text: string, provider = ""): boolean {
  if (NOT_OVERFLOW.some((pattern) => pattern.test(text))) return false;
  return OVERFLOW_TEXTS.some((pattern) => pattern.test(text)) || (VAGUE_TEXTS.get(provider)?.test(text) ?? false);
}

function isOverflowError(message: AssistantMessage): boolean {
  const kind = message.error?.kind;
  if (kind === "context_overflow") return true;
  if (kind !== undefined && !VAGUE_KINDS.has(kind)) return false;
  return message.errorMessage !== undefined && matchesOverflow(message.errorMessage, message.provider);
}
