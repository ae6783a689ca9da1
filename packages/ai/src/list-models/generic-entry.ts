/** Entries of `/v1/models` of servers with OpenAI's apis: each server adds facts under names of its own. */
import { isText, textIn } from "../utils/read-text.js";
import {
  type Fields,
  firstTokens,
  flagIn,
  inputsIn,
  type ListedModel,
  listIn,
  recordIn,
  visionInput,
} from "./facts.js";

/**
 * The names of the length of the context: OpenRouter, Together, Moonshot, Fireworks; Groq, Vercel; vLLM and SGLang, which
 * state the loaded length; others (their API references, 2026-11).
 */
const CONTEXT_NAMES = [
  "context_length",
  "context_window",
  "max_model_len",
  "max_context_length",
  "max_context_window_tokens",
  "max_input_tokens",
  "max_context_tokens",
] as const;

const OUTPUT_NAMES = ["max_completion_tokens", "max_output_tokens", "max_output_length", "max_tokens"] as const;

/** Types of models that do not write text: Together, Vercel, LM Studio. */
const OTHER_TYPES = /embed|image|audio|rerank|moderation|video|speech|transcri|tts/i;

/** OpenAI's list has ids only. These do not answer messages (platform.openai.com, "Models", 2026-11). */
const OTHER_IDS =
  /(?:^|[/-])(?:text-embedding|embedding|whisper|tts|dall-e|gpt-image|chatgpt-image|sora|omni-moderation|text-moderation|babbage|davinci)|[-_](?:tts|transcribe|realtime|embed|embedding|rerank|audio-preview)(?:[-_]|$)/i;

/** Reads an entry; undefined for a model that does not write text. */
export function readGenericEntry(entry: Fields): ListedModel | undefined {
  const architecture = recordIn(entry["architecture"]);
  const outputs = listIn(architecture["output_modalities"] ?? entry["output_modalities"]);
  const id = textIn(entry["id"]) || textIn(entry["name"]);
  const { type } = entry;
  if (outputs.length > 0 && !outputs.includes("text")) return undefined;
  if ((isText(type) && OTHER_TYPES.test(type)) || OTHER_IDS.test(id)) return undefined;
  const top = recordIn(entry["top_provider"]);
  const parameters = listIn(entry["supported_parameters"]);
  return {
    id,
    name: textIn(entry["name"]) || textIn(entry["display_name"]),
    contextWindow: firstTokens(entry, CONTEXT_NAMES) ?? firstTokens(top, CONTEXT_NAMES),
    maxTokens: firstTokens(entry, OUTPUT_NAMES) ?? firstTokens(top, OUTPUT_NAMES),
    reasoning: readReasoning(entry, parameters),
    input: readInput(entry, architecture),
    tools: parameters.length > 0 ? parameters.includes("tools") : flagIn(entry["supports_tools"]),
  };
}

function readReasoning(entry: Fields, parameters: readonly unknown[]): boolean | undefined {
  if (parameters.length > 0) return parameters.includes("reasoning") || parameters.includes("reasoning_effort");
  const tags = listIn(entry["tags"]);
  if (tags.includes("reasoning")) return true;
  // Moonshot, then others.
  return flagIn(entry["supports_reasoning"]) ?? flagIn(recordIn(entry["capabilities"])["reasoning"]);
}

function readInput(entry: Fields, architecture: Fields): ListedModel["input"] {
  const named = inputsIn(architecture["input_modalities"] ?? entry["input_modalities"]);
  // Moonshot, then others.
  const sees = flagIn(entry["supports_image_in"]) ?? flagIn(recordIn(entry["capabilities"])["vision"]);
  return named ?? visionInput(sees) ?? (listIn(entry["tags"]).includes("vision") ? ["text", "image"] : undefined);
}
