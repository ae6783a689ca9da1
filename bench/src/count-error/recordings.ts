/** Compares the usage that vendors reported for recorded responses and requests with the estimate. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type AssistantMessage, estimateTokens, type TextContent, type ToolCall } from "pi-ai";
import { estimateMessageTokens } from "pi-ai/count";
import { familyOf } from "../../../packages/ai/src/tokens/token-families.ts";
import { type Fields, isFields, listOf, readArguments, readContext } from "./requests.ts";

export interface Measurement {
  kind: "text" | "tool calls" | "thinking" | "prompt" | "prompt with tools";
  model: string;
  tokens: number;
  estimate: number;
}

export interface Recordings {
  measurements: Measurement[];
  /** The number of excluded recordings, by reason. */
  excluded: Map<string, number>;
}

const FOLDER = process.env["PI_WIRE_DIR"] || resolve(import.meta.dirname, "../../../../shared/wire");
/** Shorter texts mostly measure the overhead of a message. */
const MIN_TOKENS = 50;
/** Parts that are counted but not shown, or shown but not counted. */
const UNCOUNTABLE =
  /citations|server_tool|mcp|web_search|web_fetch|file_search|code_execution|tool_search|grounding|image|redacted|multi_choice|compaction|refusal|logprobs/;
/** These models show a summary of their thinking, but count all of it. */
const SUMMARIZED = /claude|gemini|gpt-[45]|\bo\d|codex/;
const STRUCTURED = /"(response_format|output_config|output_format|responseSchema|responseJsonSchema|json_schema)"/;
const ELSEWHERE = /"(previous_response_id|conversation|cachedContent|cached_content|plugins|web_search_options)":"/;
const MEDIA = /"(inlineData|fileData|image_url|input_image|input_file|input_audio|image|document|file|audio)"/;

export function readRecordings(): Recordings | undefined {
  if (!existsSync(FOLDER)) return undefined;
  const found: Recordings = { measurements: [], excluded: new Map() };
  for (const path of globSync("*/*.meta.json", { cwd: FOLDER }).sort()) {
    const facts = readJson(join(FOLDER, path));
    const truth = readJson(join(FOLDER, path.replace(".meta.", ".expected.")));
    const usage = isFields(truth["usage"]) ? truth["usage"] : {};
    for (const measured of [refuse(facts) ?? measureResponse(facts, truth, usage), measurePrompt(facts, usage)]) {
      if (typeof measured !== "string") found.measurements.push(measured);
      else found.excluded.set(measured, (found.excluded.get(measured) ?? 0) + 1);
    }
  }
  return found;
}

function readJson(path: string): Fields {
  return JSON.parse(readFileSync(path, "utf8"));
}

/** The first of these counts that exists. */
function countOf(usage: Fields, ...names: string[]): number | undefined {
  const merged = usage["merged"] ?? usage["final"] ?? usage;
  const places = isFields(merged) ? [merged, ...Object.values(merged).filter(isFields)] : [];
  for (const name of names) for (const place of places) if (typeof place[name] === "number") return place[name];
  return undefined;
}

/** The reason why the count of a response does not match its visible content. */
function refuse({ source, features }: Fields): string | undefined {
  if (isFields(source) && source["kind"] === "vendor-fixture") return "responses: edited by hand";
  return UNCOUNTABLE.test(String(features)) ? "responses: parts that are hidden or not counted" : undefined;
}

function measureResponse(facts: Fields, truth: Fields, usage: Fields): Measurement | string {
  const output = countOf(usage, "output_tokens", "completion_tokens", "outputTokens", "candidatesTokenCount");
  if (!output) return "responses: no count";
  const thinking = String(truth["thinking"] ?? "");
  const calls = listOf(truth["toolCalls"]).map(toToolCall);
  const visible: AssistantMessage["content"] = [...toText(String(truth["text"] ?? "")), ...calls];
  const reasoning = countOf(usage, "thinking_tokens", "reasoning_tokens") ?? 0;
  // Gemini and some gateways count thoughts separately.
  const isApart = facts["protocol"] === "google-generative-ai" || reasoning > output;
  const kind = calls.length > 0 ? "tool calls" : "text";
  if (isApart || (reasoning > 0 && visible.length > 0))
    return measureContent(kind, modelOf(facts), isApart ? output : output - reasoning, visible);
  if (thinking === "") return measureContent(kind, modelOf(facts), output, visible);
  if (SUMMARIZED.test(modelOf(facts))) return "responses: a summary of the thinking";
  return measureContent(calls.length > 0 ? kind : "thinking", modelOf(facts), output, [
    { type: "thinking", thinking },
    ...visible,
  ]);
}

function toText(text: string): TextContent[] {
  return text ? [{ type: "text", text }] : [];
}

function toToolCall({ name, arguments: input, argumentsRaw }: Fields): ToolCall {
  return { type: "toolCall", id: "", name: String(name), arguments: readArguments(input ?? argumentsRaw) };
}

function measureContent(
  kind: Measurement["kind"],
  model: string,
  tokens: number,
  content: AssistantMessage["content"],
): Measurement | string {
  if (content.length === 0) return "responses: parts that are hidden or not counted";
  if (tokens < MIN_TOKENS) return `responses: below ${MIN_TOKENS} tokens`;
  const message = { role: "assistant", content, stopReason: "stop" } as AssistantMessage; // all that an estimate reads
  const family = { id: model, input: ["text" as const] };
  // The overhead of a message is counted when it is sent back, not in the response.
  return { kind, model, tokens, estimate: estimateMessageTokens(message, family) - familyOf(family).overhead[1] };
}

function measurePrompt(facts: Fields, usage: Fields): Measurement | string {
  const { request } = facts;
  if (!isFields(request)) return "requests: not recorded";
  const json = JSON.stringify(request);
  if (/characters( of encoded data)? cut>/.test(json)) return "requests: cut by the recorder";
  if (MEDIA.test(json)) return "requests: images, files or sound";
  if (STRUCTURED.test(json)) return "requests: an output schema";
  if (ELSEWHERE.test(json)) return "requests: parts that are elsewhere";
  const context = readContext(request);
  if (!context) return "requests: tools of the provider";
  const tokens = promptOf(usage);
  if (!tokens) return "requests: no count";
  if (tokens < MIN_TOKENS) return `requests: below ${MIN_TOKENS} tokens`;
  const model = modelOf(facts);
  const kind = context.tools?.length ? "prompt with tools" : "prompt";
  return { kind, model, tokens, estimate: estimateTokens(context, { id: model, input: ["text"] }) };
}

/** Includes tokens read from and written to a cache, which some vendors count separately. */
function promptOf(usage: Fields): number | undefined {
  const start = isFields(usage["start"]) ? usage["start"] : undefined;
  const input = countOf(start ?? usage, "input_tokens", "prompt_tokens", "promptTokenCount", "inputTokens");
  if (input === undefined || (!start && !("inputTokens" in usage))) return input;
  const cached = [
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
    "cacheReadInputTokens",
    "cacheWriteInputTokens",
  ];
  return cached.reduce((sum, name) => sum + (countOf(start ?? usage, name) ?? 0), input);
}

function modelOf(facts: Fields): string {
  return String(facts["responseModel"] ?? facts["model"]);
}
