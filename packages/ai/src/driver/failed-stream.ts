/** Reports a failure outside of an adapter as the `error` event of a stream. */
import { AssistantMessageBuilder, AssistantMessageEventStream, toFailure } from "../message/index.js";
import type { Model } from "../types/model.js";

/** Returns a stream whose only event is an `error` for the thrown value. */
export function createFailedStream(model: Model, thrown: unknown): AssistantMessageEventStream {
  const stream = new AssistantMessageEventStream();
  failStream(stream, model, thrown);
  return stream;
}

/** Ends a stream with an `error` for the thrown value. */
export function failStream(
  stream: AssistantMessageEventStream,
  model: Model,
  thrown: unknown,
  secrets: readonly string[] = [],
): void {
  const builder = new AssistantMessageBuilder({ model, emit: (event) => stream.push(event) });
  builder.fail(toFailure(thrown, { secrets, attempts: 0 }));
}
