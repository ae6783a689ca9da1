/** Creates the stream of a request that failed before its adapter was called. */
import { AssistantMessageBuilder } from "../assemble/assistant-message-builder.js";
import { AssistantMessageEventStream } from "../event-stream/assistant-message-event-stream.js";
import type { Model } from "../types/model.js";
import { toFailure } from "./failure.js";

/** Returns a stream whose only event is an `error` for the thrown value. */
export function createFailedStream(model: Model, thrown: unknown): AssistantMessageEventStream {
  const stream = new AssistantMessageEventStream();
  const builder = new AssistantMessageBuilder({ model, emit: (event) => stream.push(event) });
  builder.fail(toFailure(thrown, { secrets: [], attempts: 0 }));
  return stream;
}
