/** Maps chunks of the Chat Completions API to operations on the sink. */
import type { CompletionsFlags } from "../../catalogue/compat/index.js";
import type { WireMapping } from "../../driver/index.js";
import type { MessageSink } from "../../message/index.js";
import { createStreamError } from "../../transport/index.js";
import { isRecord } from "../../utils/is-object.js";
import { firstIndexed, isText } from "../../utils/read-text.js";
import { DONE } from "../../wire/index.js";
import { ChatEnding } from "../chat-ending.js";
import { ContentReader, type WireDelta } from "./content-reader.js";
import { NoteReader, type WireFilterResults } from "./response-notes.js";
import type { WireSources } from "./server-tools.js";
import { type UsageChoice, type UsageChunk, UsageReader } from "./usage-reader.js";

interface WireChoice extends UsageChoice {
  /** Some servers send a text. */
  index?: number | string | null;
  delta?: WireDelta | null;
  /** In place of deltas, or the whole beside the last one. */
  message?: WireDelta | null;
  /** The text of servers that answer as the older Completions API does. */
  text?: unknown;
  finish_reason?: string | null;
  logprobs?: unknown;
  content_filter_results?: unknown;
  /** OpenRouter (openrouter.ai/docs, "Errors", 2026-11): the provider behind it failed after the beginning. */
  error?: unknown;
}

interface WireChunk extends UsageChunk, WireSources, WireFilterResults {
  id?: string;
  model?: string;
  choices?: (WireChoice | null)[] | null;
  type?: unknown;
  error?: unknown;
}

/**
 * @param provider named in errors
 * @param statesReasons whether the server is known to send finish reasons
 */
export function createCompletionsMapping(
  provider: string,
  flags: CompletionsFlags,
  statesReasons: () => boolean = () => false,
): WireMapping {
  const response = new CompletionsResponse(provider, flags, statesReasons);
  return Object.assign((event: unknown, sink: MessageSink) => response.map(event, sink), {
    end: (sink: MessageSink) => response.end(sink),
  });
}

/** The service tier that answered, in each chunk (OpenAI API reference, "The chat completion chunk object", 2026-11). */
export function tierOfChunk(chunk: unknown): unknown {
  return isRecord(chunk) ? chunk["service_tier"] : undefined;
}

class CompletionsResponse {
  readonly #provider: string;
  readonly #content: ContentReader;
  readonly #usage: UsageReader;
  readonly #notes = new NoteReader();
  readonly #ending: ChatEnding;
  readonly #errorOf: CompletionsFlags["errorOf"];
  #refusal = "";
  #hasDeltas = false;

  constructor(provider: string, flags: CompletionsFlags, statesReasons: () => boolean) {
    this.#provider = provider;
    this.#errorOf = flags.errorOf;
    this.#content = new ContentReader(flags);
    this.#usage = new UsageReader(flags);
    const isCutOff = (sink: MessageSink): boolean => this.#content.hasUnfinishedCall(sink) || statesReasons();
    this.#ending = new ChatEnding(isCutOff, flags.supportsFinishReason !== false);
  }

  map(event: unknown, sink: MessageSink): boolean {
    if (event === DONE) {
      this.#complete(sink);
      this.#ending.complete(sink);
      return true;
    }
    const chunk = event as WireChunk; // every field is optional, and each value is checked where it is used
    sink.response({ responseId: chunk.id, responseModel: chunk.model });
    const choice = firstIndexed(chunk.choices);
    this.#usage.read(chunk, choice, sink);
    const error = this.#errorOf?.(event);
    if (error || chunk.error || chunk.type === "error") {
      this.#complete(sink);
      throw createStreamError(error ? { error } : chunk, this.#provider);
    }
    this.#content.addSources(chunk);
    if (chunk.prompt_filter_results) this.#notes.addPromptResults(chunk);
    if (choice) this.#mapChoice(choice, sink);
    return false;
  }

  /** The body ended without the end marker. */
  end(sink: MessageSink): void {
    this.#complete(sink);
    this.#ending.end(sink);
  }

  #mapChoice(choice: WireChoice, sink: MessageSink): void {
    const { finish_reason: finishReason, logprobs, content_filter_results: filterResults } = choice;
    const delta = this.#deltaOf(choice);
    if (delta && this.#content.addDelta(delta, sink)) this.#ending.hasContent = true;
    if (isText(delta?.refusal)) this.#refusal += delta.refusal;
    if (logprobs) this.#notes.addLogprobs(logprobs);
    if (filterResults) this.#notes.addFilterResults(filterResults);
    if (choice.error) {
      this.#complete(sink);
      throw createStreamError({ error: choice.error }, this.#provider);
    }
    if (!finishReason) return;
    // Written here because the end marker may be missing; written again if more follows.
    this.#content.write(sink);
    this.#ending.finish(finishReason, sink);
  }

  /** A server without deltas sends messages or texts in their place. After deltas, a message repeats them. */
  #deltaOf(choice: WireChoice): WireDelta | undefined {
    if (choice.delta) this.#hasDeltas = true;
    if (this.#hasDeltas) return choice.delta ?? undefined;
    const { message, text } = choice;
    return isRecord(message) ? message : isText(text) ? { content: text } : undefined;
  }

  #complete(sink: MessageSink): void {
    this.#content.write(sink);
    this.#content.close(sink);
    this.#notes.write(sink);
    this.#noteRefusal(sink);
  }

  /** A refusal arrives as text; the diagnostic marks it as a refusal. */
  #noteRefusal(sink: MessageSink): void {
    if (this.#refusal !== "") sink.note("refusal", { text: this.#refusal });
    this.#refusal = "";
  }
}
