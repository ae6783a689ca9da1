/** The providers' words for the end of an answer, and the stop reasons that they allow. */
import type { WireApi } from "./recordings.js";
import type { Truth } from "./truth.js";

type Words = Readonly<Record<string, string>>;

interface Row {
  words: Words;
  /** For a word that is not in the table. */
  unknown: string[];
  /** For an answer that is whole and has no word. */
  missing: string[];
}

const ROWS: Readonly<Record<WireApi, Row>> = {
  "anthropic-messages": {
    words: {
      end_turn: "stop",
      pause_turn: "stop",
      stop_sequence: "stop",
      max_tokens: "length",
      tool_use: "toolUse",
    },
    unknown: ["error"],
    missing: ["error", "length"],
  },
  "openai-completions": {
    words: {
      stop: "stop",
      end: "stop",
      length: "length",
      tool_calls: "toolUse",
      function_call: "toolUse",
      content_filter: "error",
      network_error: "error",
    },
    unknown: ["error", "stop"],
    missing: ["stop", "error"],
  },
  "openai-responses": {
    words: { completed: "stop", incomplete: "length", failed: "error", cancelled: "error" },
    unknown: ["error"],
    missing: ["error", "length"],
  },
  "google-generative-ai": {
    words: { STOP: "stop", MAX_TOKENS: "length" },
    unknown: ["error"],
    missing: ["error", "length"],
  },
  "mistral-conversations": {
    words: { stop: "stop", length: "length", model_length: "length", tool_calls: "toolUse", error: "error" },
    unknown: ["stop"],
    missing: ["stop"],
  },
  "bedrock-converse-stream": {
    words: {
      end_turn: "stop",
      stop_sequence: "stop",
      max_tokens: "length",
      model_context_window_exceeded: "length",
      tool_use: "toolUse",
    },
    unknown: ["error"],
    missing: ["error", "length"],
  },
};

/** An error object that came where the protocol has no place for it. */
const STRAY_ERROR = /error object outside/;

export function allowedStops(api: WireApi, truth: Truth): string[] {
  const { errors = [], anomalies = [], toolCalls = [] } = truth;
  if (errors.length > 0 || anomalies.some((anomaly) => STRAY_ERROR.test(anomaly))) return ["error"];
  const stops = new Set(stopsByWord(api, truth));
  if (!truth.complete) {
    // A chat answer with a finish_reason is whole, its [DONE] is a courtesy; any other cut answer is not.
    if (api !== "openai-completions" || !truth.stopReason) return ["error", "length"];
    stops.add("error").add("length");
  }
  if (toolCalls.length > 0) addCallStops(api, stops);
  if (toolCalls.some((call) => call.argumentsValid === false)) stops.add("length").add("error");
  return [...stops];
}

function stopsByWord(api: WireApi, { stopReason, status, incompleteDetails }: Truth): string[] {
  const row = ROWS[api];
  const word = api === "openai-responses" ? status : stopReason;
  if (word === null || word === undefined) return row.missing;
  const stop = row.words[String(word)];
  if (stop === undefined) return row.unknown;
  // What a filter cut off is too short, or a failure.
  return stop === "length" && incompleteDetails?.reason === "content_filter" ? ["length", "error"] : [stop];
}

/** A clean stop with calls may be told as a wish to use tools; Gemini and Responses have no word for that wish. */
function addCallStops(api: WireApi, stops: Set<string>): void {
  const isClean = stops.has("stop");
  if (isClean || api === "google-generative-ai") stops.add("toolUse");
  const hasNoWord = api === "openai-responses" || api === "google-generative-ai";
  if (isClean && hasNoWord) stops.delete("stop");
}
