/** Maps chunks of the Chat Completions API to operations on the sink. */
import type { MessageSink } from "../../assemble/message-sink.js";
import type { CompletionsFlags } from "../../compat/host.js";
import type { WireMapping } from "../../runtime/api-adapter.js";
import { RawStreamError } from "../../transport/raw-stream-error.js";
import { isText } from "../../utils/is-text.js";
import { DONE } from "../../wire/body-decoder.js";
import { ChatEnding } from "../chat-ending.js";
import { ContentReader, type WireDelta } from "./content-reader.js";
import type { WireFilterResults } from "./notes.js";
import type { WireSources } from "./sources.js";
import { type UsageChoice, type UsageChunk, UsageReader } from "./usage.js";

interface WireChoice extends UsageChoice {
  index?: number | null;
  delta?: WireDelta | null;
  finish_reason?: string | null;
  logprobs?: unknown;
  content_filter_results?: unknown;
}

interface WireChunk extends UsageChunk, WireSources, WireFilterResults {
  id?: string;
  model?: string;
  choices?: (WireChoice | null)[] | null;
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

class CompletionsResponse {
  readonly #provider: string;
  readonly #content: ContentReader;
  readonly #usage: UsageReader;
  readonly #ending: ChatEnding;
  #refusal = "";

  constructor(provider: string, flags: CompletionsFlags, statesReasons: () => boolean) {
    this.#provider = provider;
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
    const choice = firstChoice(chunk);
    this.#usage.read(chunk, choice, sink);
    if (chunk.error) {
      this.#complete(sink);
      throw new RawStreamError(chunk, this.#provider);
    }
    this.#content.addChunk(chunk);
    if (choice) this.#mapChoice(choice, sink);
    return false;
  }

  /** The body ended without the end marker. */
  end(sink: MessageSink): void {
    this.#complete(sink);
    this.#ending.end(sink);
  }

  #mapChoice(choice: WireChoice, sink: MessageSink): void {
    const { delta, finish_reason: finishReason, logprobs, content_filter_results: filterResults } = choice;
    if (delta && this.#content.addDelta(delta, sink)) this.#ending.hasContent = true;
    if (isText(delta?.refusal)) this.#refusal += delta.refusal;
    if (logprobs || filterResults) this.#content.addFacts(logprobs, filterResults);
    if (!finishReason) return;
    // Written here because the end marker may be missing; written again if more follows.
    this.#content.write(sink);
    this.#ending.finish(finishReason, sink);
  }

  #complete(sink: MessageSink): void {
    this.#content.write(sink);
    this.#content.close(sink);
    this.#noteRefusal(sink);
  }

  /** A refusal arrives as text; the diagnostic marks it as a refusal. */
  #noteRefusal(sink: MessageSink): void {
    if (this.#refusal !== "") sink.note("refusal", { text: this.#refusal });
    this.#refusal = "";
  }
}

/** If a request asks for several choices, only the first is used. */
function firstChoice({ choices }: WireChunk): WireChoice | undefined {
  if (!Array.isArray(choices)) return undefined;
  for (const choice of choices) if (choice && (choice.index ?? 0) === 0) return choice;
  return undefined;
}
