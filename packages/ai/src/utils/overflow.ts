/**
 * Detects that a conversation no longer fits the model's context window. Errors of this library carry that as their
 * kind. The text patterns are for errors known only by their text: stored messages, other hosts, servers that respond
 * 400 to everything.
 */
import type { AssistantMessage, ErrorKind } from "../types/message.js";

interface OverflowText {
  /** The vendor that uses the text. */
  vendor: string;
  pattern: RegExp;
  /** Set if the text is too vague to mean overflow from any other provider. */
  onlyProvider?: string;
}

/** Repetitions are bounded, because the texts are untrusted. */
const OVERFLOW_TEXTS: readonly OverflowText[] = [
  { vendor: "Anthropic", pattern: /prompt is too long/i },
  { vendor: "Anthropic, by size", pattern: /request_too_large/i },
  { vendor: "Anthropic, with the output", pattern: /input length and `?max_tokens`? exceed context limit/i },
  { vendor: "Amazon Bedrock", pattern: /input is too long for requested model/i },
  { vendor: "Amazon Bedrock", pattern: /input tokens exceeded/i },
  { vendor: "Amazon Bedrock, Titan", pattern: /too many input tokens/i },
  { vendor: "OpenAI", pattern: /exceeds the context window/i },
  { vendor: "LiteLLM", pattern: /exceeds (?:the )?(?:model'?s )?maximum context length of [\d,]{1,15} tokens/i },
  { vendor: "LiteLLM, before it sends the request", pattern: /context ?window ?exceeded/i },
  { vendor: "Google", pattern: /input token count.{0,80}exceeds the maximum/i },
  {
    vendor: "Google Vertex",
    pattern: /input token count is [\d,]{1,15} but (?:the )?model only supports up to \d/i,
  },
  { vendor: "xAI", pattern: /maximum prompt length is \d/i },
  { vendor: "Groq", pattern: /reduce the length of the messages/i },
  { vendor: "OpenRouter, vLLM", pattern: /maximum context length (?:is \d[\d,]{0,15} tokens|\(\d)/i },
  {
    vendor: "Together",
    pattern: /input \([\d,]{1,15} tokens\) is longer than the model'?s context length \([\d,]{1,15} tokens\)/i,
  },
  { vendor: "vLLM", pattern: /the model'?s context length is only \d/i },
  { vendor: "vLLM", pattern: /prompt \(length [\d,]{1,15}\) is longer than the maximum model length/i },
  { vendor: "SGLang", pattern: /exceeds the model'?s maximum context length/i },
  {
    vendor: "Hugging Face TGI, Together",
    pattern: /`?inputs`? (?:tokens \+ `?max_new_tokens`? must be|must have less than \d)/i,
  },
  { vendor: "GitHub Models", pattern: /request body too large for .{1,100} model\. max size/i },
  { vendor: "Cerebras", pattern: /current length is \d{1,15} while limit is \d/i },
  { vendor: "Cloudflare", pattern: /exceeded this model context window limit/i },
  { vendor: "GitHub Copilot", pattern: /exceeds the limit of \d/i },
  { vendor: "llama.cpp", pattern: /exceeds the available context size/i },
  { vendor: "llama.cpp, in mid-stream", pattern: /context size has been exceeded/i },
  { vendor: "LM Studio", pattern: /greater than the context length/i },
  { vendor: "LM Studio", pattern: /input does not fit in (?:the )?context length/i },
  { vendor: "Ollama", pattern: /prompt is longer than the context length/i },
  { vendor: "Perplexity", pattern: /too_many_prompt_tokens/i },
  { vendor: "LM Studio", pattern: /trying to keep the first \d{1,15} tokens when context/i },
  { vendor: "MiniMax", pattern: /context window exceeds limit/i },
  { vendor: "Kimi", pattern: /exceeded model token limit/i },
  { vendor: "Mistral", pattern: /too large for model with [\d,]{1,15} maximum context length/i },
  { vendor: "z.ai", pattern: /model_context_window_exceeded/i },
  { vendor: "z.ai", pattern: /\bprompt too long\b/i },
  { vendor: "z.ai, China", pattern: /prompt exceeds max(?:imum)? length/i },
  { vendor: "Ollama", pattern: /prompt too long; exceeded (?:max )?context length/i },
  { vendor: "Ollama", pattern: /input length exceeds (?:the )?(?:maximum )?context length/i },
  { vendor: "Poolside", pattern: /maximum allowed input length of \d/i },
  { vendor: "DS4", pattern: /prompt has [\d,]{1,15} tokens, but the configured context size is \d/i },
  { vendor: "DashScope", pattern: /range of input length should be/i },
  { vendor: "many", pattern: /context[_ ]length[_ ]exceeded/i },
  { vendor: "many", pattern: /too many tokens/i },
  { vendor: "many", pattern: /token limit exceeded/i },
  { vendor: "many vendors, by the HTTP status", pattern: /^413\b/ },
  { vendor: "Cerebras", pattern: /^4(?:00|13)\b.{0,40}\(no body\)/i, onlyProvider: "cerebras" },
];

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
  return OVERFLOW_TEXTS.filter((row) => row.onlyProvider === undefined).map((row) => new RegExp(row.pattern));
}

/** Whether an error text reports overflow. */
export function matchesOverflow(text: string, provider?: string): boolean {
  if (NOT_OVERFLOW.some((pattern) => pattern.test(text))) return false;
  return OVERFLOW_TEXTS.some(
    (row) => (row.onlyProvider === undefined || row.onlyProvider === provider) && row.pattern.test(text),
  );
}

function isOverflowError(message: AssistantMessage): boolean {
  const kind = message.error?.kind;
  if (kind === "context_overflow") return true;
  if (kind !== undefined && !VAGUE_KINDS.has(kind)) return false;
  return message.errorMessage !== undefined && matchesOverflow(message.errorMessage, message.provider);
}
