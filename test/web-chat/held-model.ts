/** A model whose responses pause until the test releases them, so that it can inspect an unfinished response. */
import {
  type AssistantMessageEvent,
  AssistantMessageEventStream,
  type Context,
  type Model,
  registerApiProvider,
  type StreamOptions,
  stream,
} from "pi-ai";

export interface HeldModel {
  model: Model;
  /** Responses pause after this many deltas. */
  holdAfter(pieces: number): void;
  /** Responses continue, and no longer pause. */
  release(): void;
}

const API = "held";

/** @param model a model of a registered provider, which produces the responses */
export function holdModel(model: Model): HeldModel {
  let limit = Number.POSITIVE_INFINITY;
  let release = (): void => {};
  let released = Promise.resolve();
  const play = (_: Model, context: Context, { signal, ...options }: StreamOptions = {}) => {
    const output = new AssistantMessageEventStream();
    const gone = new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
    const pump = async (): Promise<void> => {
      let pieces = 0;
      for await (const event of stream(model, context, options)) {
        if ("delta" in event && ++pieces > limit) await Promise.race([released, gone]);
        output.push(signal?.aborted ? abortedAt(event) : event);
      }
    };
    void pump();
    return output;
  };
  registerApiProvider({ api: API, stream: play, streamSimple: play }, API);
  return {
    model: { ...model, api: API },
    holdAfter: (pieces) => {
      limit = pieces;
      released = new Promise((resolve) => {
        release = resolve;
      });
    },
    release: () => {
      limit = Number.POSITIVE_INFINITY;
      release();
    },
  };
}

function abortedAt(event: AssistantMessageEvent): AssistantMessageEvent {
  const message = event.type === "done" ? event.message : event.type === "error" ? event.error : event.partial;
  return {
    type: "error",
    reason: "aborted",
    error: { ...message, stopReason: "aborted", errorMessage: "Request was aborted", error: { kind: "aborted" } },
  };
}
