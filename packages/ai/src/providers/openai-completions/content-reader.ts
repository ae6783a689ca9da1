/** Reads the content of a chat response from its deltas. */
import { type CompletionsFlags, thinkingFieldsOf } from "../../catalogue/compat/index.js";
import type { MessageSink } from "../../message/index.js";
import { writeWireItems } from "../../request/index.js";
import { isRecord } from "../../utils/is-object.js";
import { isText, textIn } from "../../utils/read-text.js";
import { openImage } from "../generated-image.js";
import { ToolCallTracker, type WireCall } from "../tool-call-tracker.js";
import { ExecutedToolReader } from "./executed-tools.js";
import { AudioReader, mapImages, TRANSCRIPT } from "./media-reader.js";
import { ReasoningDetails, signThinking } from "./reasoning-details.js";
import { SourceReader, type WireSources } from "./server-tools.js";

/** Gemini's own counts, which Vercel's gateway forwards. */
export interface GeminiUsage {
  promptTokenCount?: unknown;
  toolUsePromptTokenCount?: unknown;
  cachedContentTokenCount?: unknown;
  candidatesTokenCount?: unknown;
  thoughtsTokenCount?: unknown;
}

/** The fields that Vercel's gateway adds to a delta. */
export interface ProviderMetadata {
  google?: { usageMetadata?: GeminiUsage | null } | null;
}

export interface WireDelta {
  content?: unknown;
  refusal?: string | null;
  reasoning_details?: unknown;
  tool_calls?: unknown;
  function_call?: WireCall["function"];
  annotations?: unknown;
  images?: unknown;
  audio?: unknown;
  executed_tools?: unknown;
  provider_metadata?: ProviderMetadata | null;
  /** Thinking, in a field of the host. */
  [field: string]: unknown;
}

type ProseType = "text" | "thinking";

/** The types of parts that are text or thinking: OpenAI's, and those of servers that pass on parts of other apis. */
const PROSE_PARTS: ReadonlyMap<unknown, ProseType> = new Map<unknown, ProseType>([
  [undefined, "text"],
  ["text", "text"],
  ["output_text", "text"],
  ["thinking", "thinking"],
  ["reasoning", "thinking"],
  ["reasoning_text", "thinking"],
]);
/** Further names of thinking that some gateways send. None of them is known to be taken back. */
const UNUSUAL_FIELDS = ["thinking", "thoughts"];
/** The names under which a part has its words. */
const PROSE_FIELDS = ["text", "thinking", "reasoning", "content"];

/** The last block of a type, which deltas grow until another block begins. */
interface LastProse {
  key: string;
  /** The number of blocks in the message just after this one began. */
  length: number;
}

export class ContentReader {
  /** The fields in which thinking may come. */
  readonly #thinkingFields: readonly string[];
  readonly #calls = new ToolCallTracker();
  readonly #details = new ReasoningDetails();
  readonly #sources = new SourceReader();
  readonly #tools = new ExecutedToolReader();
  readonly #audio = new AudioReader();
  readonly #textKeys: string[] = [];
  readonly #last: Record<ProseType, LastProse> = { text: { key: "", length: -1 }, thinking: { key: "", length: -1 } };
  #field: string | undefined;
  #signature: string | undefined;

  constructor(flags: CompletionsFlags) {
    this.#thinkingFields = [...thinkingFieldsOf(flags), ...UNUSUAL_FIELDS];
  }

  /** Returns whether the delta held content. */
  addDelta(delta: WireDelta, sink: MessageSink): boolean {
    const field = this.#thinkingFieldOf(delta);
    const thinking = field ? proseIn(delta[field]) : detailsText(delta.reasoning_details);
    if (isText(thinking)) this.#grow("thinking", thinking, field, sink);
    this.#field ??= field;
    const hasText = this.#addContent(delta.content, sink);
    if (isText(delta.refusal)) this.#grow("text", delta.refusal, undefined, sink);
    if (Array.isArray(delta.reasoning_details)) {
      this.#calls.addDetails(delta.reasoning_details, sink);
      this.#details.add(delta.reasoning_details);
    }
    const hasCalls = mapCalls(delta, this.#calls, sink);
    const hasOther = this.#addOther(delta, sink);
    return isText(thinking) || hasText || isText(delta.refusal) || hasCalls || hasOther;
  }

  /** A loop: it looks at every delta, and a function for each would cost as much as the rest. */
  #thinkingFieldOf(delta: WireDelta): string | undefined {
    for (const name of this.#thinkingFields) if (delta[name] && proseIn(delta[name]) !== "") return name;
    return undefined;
  }

  addSources(chunk: WireSources): void {
    this.#sources.addChunk(chunk);
  }

  /** Whether a tool call is not finished. */
  hasUnfinishedCall(sink: MessageSink): boolean {
    return this.#calls.hasUnfinished(sink);
  }

  /** Writes facts that are known only when the response seems complete. */
  write(sink: MessageSink): void {
    this.#audio.write(sink);
    this.#signThinking(sink);
    this.#sources.write(this.#textKeys, sink);
  }

  /** The response is complete. */
  close(sink: MessageSink): void {
    this.#tools.settle(sink);
  }

  #addOther({ annotations, images, audio, executed_tools: executed }: WireDelta, sink: MessageSink): boolean {
    if (annotations) this.#sources.addAnnotations(annotations, sink);
    if (executed) this.#tools.add(executed, sink);
    const transcript = audio ? this.#audio.add(audio) : "";
    if (transcript !== "") this.#grow("text", transcript, TRANSCRIPT, sink);
    const hasImages = images ? mapImages(images, sink) : false;
    return hasImages || Boolean(audio) || Boolean(executed);
  }

  /** Most servers send a string; a few send a part, or a list of parts and strings. */
  #addContent(content: WireDelta["content"], sink: MessageSink): boolean {
    if (!content) return false;
    if (isText(content)) {
      this.#grow("text", content, undefined, sink);
      return true;
    }
    let hasContent = false;
    for (const part of Array.isArray(content) ? content : [content]) {
      if (isText(part)) this.#grow("text", part, undefined, sink);
      hasContent = (isRecord(part) ? this.#addPart(part, sink) : isText(part)) || hasContent;
    }
    return hasContent;
  }

  /** A part of an unknown type is kept whole. */
  #addPart(part: Record<string, unknown>, sink: MessageSink): boolean {
    const { type, text, image_url: image, ...rest } = part;
    const prose = PROSE_PARTS.get(type);
    if (prose) {
      const words = proseIn(part);
      if (words !== "") this.#grow(prose, words, undefined, sink);
      return words !== "";
    }
    if (!isText(type) || Object.keys(part).length === 1) return false;
    const address = isRecord(image) ? image["url"] : image;
    const signature = writeWireItems([{ item: { content: [part] } }]);
    const key = `part:${sink.length}`;
    if (type === "image_url" && isText(address)) openImage(key, address, signature, sink);
    else {
      sink.open(key, { type: "serverTool", name: type, status: "done", output: rest, signature });
      sink.close(key);
    }
    return true;
  }

  /** @param signature set on the block if it is new */
  #grow(type: ProseType, delta: string, signature: string | undefined, sink: MessageSink): void {
    const last = this.#last[type];
    if (last.length !== sink.length) {
      last.key = `${type}:${sink.length}`;
      if (type === "text") this.#textKeys.push(last.key);
      sink.open(
        last.key,
        type === "text" ? { type, textSignature: signature } : { type, thinkingSignature: signature },
      );
      last.length = sink.length;
    }
    sink.append(last.key, delta);
  }

  #signThinking(sink: MessageSink): void {
    const last = this.#last.thinking;
    const isOpen = last.key !== "";
    const thinking = isOpen ? sink.textOf(last.key) : "";
    const signature = this.#details.signature(this.#field, thinking, (id) => this.#calls.has(id));
    if (signature === undefined || signature === this.#signature) return;
    this.#signature = signature;
    if (!isOpen) last.key = "thinking:signed";
    signThinking(last.key, isOpen, signature, sink);
  }
}

function mapCalls({ tool_calls, function_call }: WireDelta, calls: ToolCallTracker, sink: MessageSink): boolean {
  if (!tool_calls && !function_call) return false;
  const list: unknown[] = Array.isArray(tool_calls) ? tool_calls : [tool_calls];
  const fragments = list.filter(isRecord);
  // Some servers have the call under the older name, too.
  if (function_call && fragments.length === 0) fragments.push({ index: 0, function: function_call });
  for (const fragment of fragments) calls.add(fragment, sink);
  return fragments.length > 0;
}

/** The words of a text, a part or a list of them. Servers nest them at most so deep. */
function proseIn(value: unknown, depth = 4): string {
  if (typeof value === "string" || depth === 0) return textIn(value);
  if (Array.isArray(value)) return value.map((part) => proseIn(part, depth - 1)).join("");
  const name = isRecord(value) ? PROSE_FIELDS.find((field) => value[field]) : undefined;
  return name === undefined || !isRecord(value) ? "" : proseIn(value[name], depth - 1);
}

/** Some servers send reasoning only in `reasoning_details`; others repeat it there. */
function detailsText(details: unknown): string {
  if (!Array.isArray(details)) return "";
  const texts = details.map((detail: { type?: string; text?: string; summary?: string } | null) =>
    detail?.type === "reasoning.text" ? detail.text : detail?.type === "reasoning.summary" ? detail.summary : undefined,
  );
  return texts.filter(isText).join("");
}
