/** The stop reasons that a recording allows. */
import { testsOf } from "../protocols/all-apis.js";
import type { StopWords } from "./recorded-api.js";
import type { Truth } from "./truth.js";

/** An error object in a place where the api has none. */
const STRAY_ERROR = /error object outside/;

/** @throws Error if the api has no recordings */
export function allowedStops(api: string, truth: Truth): string[] {
  const row = testsOf(api).recordings?.stops;
  if (!row) throw new Error(`There are no recordings of ${api}`);
  const { errors = [], anomalies = [], toolCalls = [] } = truth;
  if (errors.length > 0 || anomalies.some((anomaly) => STRAY_ERROR.test(anomaly))) return ["error"];
  const stops = new Set(stopsByWord(row, truth));
  if (!truth.complete) {
    if (!row.isCompleteWithWord || !truth.stopReason) return ["error", "length"];
    stops.add("error").add("length");
  }
  if (toolCalls.length > 0) addToolUse(row, stops);
  if (toolCalls.some((call) => call.argumentsValid === false)) stops.add("length").add("error");
  return [...stops];
}

function stopsByWord(row: StopWords, truth: Truth): string[] {
  const word = truth[row.field ?? "stopReason"];
  if (word === null || word === undefined) return row.missing;
  const stop = row.words[String(word)];
  if (stop === undefined) return row.unknown;
  // A response that a filter stopped counts as too short or as failed.
  const isFiltered = truth.incompleteDetails?.reason === "content_filter";
  return stop === "length" && isFiltered ? ["length", "error"] : [stop];
}

/** A clean stop with tool calls may be reported as tool use, and must be if the api has no word for tool use. */
function addToolUse({ toolUseInferredFrom }: StopWords, stops: Set<string>): void {
  const isClean = stops.has("stop");
  if (isClean || toolUseInferredFrom === "any stop") stops.add("toolUse");
  if (isClean && toolUseInferredFrom) stops.delete("stop");
}
