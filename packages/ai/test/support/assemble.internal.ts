/** Runs a mapping on wire events, without a network. */

import type { WireMapping } from "../../src/driver/api-adapter.js";
import { toFailure } from "../../src/driver/failure.js";
import { PiError } from "../../src/errors.js";
import { AssistantMessageBuilder } from "../../src/message/assistant-message-builder.js";
import { createStreamError } from "../../src/transport/http-error.js";
import { RawStreamError } from "../../src/transport/load-http-error.js";
import type { AssistantMessageEvent } from "../../src/types/event.js";
import type { AssistantMessage } from "../../src/types/message.js";
import type { Model } from "../../src/types/model.js";

export interface Assembled {
  message: AssistantMessage;
  events: AssistantMessageEvent["type"][];
  /** The position of the event that ended the response, -1 if none did. */
  overAt: number;
}

/** Feeds events as the driver does. An error that the mapping throws ends the message, as in the driver. */
export function assemble(mapping: WireMapping, wireEvents: readonly unknown[], model: Model): Assembled {
  const events: AssistantMessageEvent["type"][] = [];
  const builder = new AssistantMessageBuilder({ model, emit: (event) => events.push(event.type), timestamp: 0 });
  let overAt = -1;
  try {
    for (const [position, event] of wireEvents.entries()) {
      builder.start();
      if (!mapping(event, builder)) continue;
      overAt = position;
      break;
    }
    if (overAt === -1) mapping.end?.(builder);
    return { message: builder.finish(), events, overAt };
  } catch (thrown) {
    const error = readThrown(thrown);
    if (!PiError.is(error)) throw error;
    return { message: builder.fail(toFailure(error, { secrets: [], attempts: 1 })), events, overAt };
  }
}

/** Converts an error that a mapping threw as the driver does. */
export function readThrown(thrown: unknown): unknown {
  if (!(thrown instanceof RawStreamError)) return thrown;
  return thrown.explain(createStreamError(thrown.event, thrown.source));
}

/** Runs a function that must throw, and returns the error as the driver would read it. */
export function errorOf(run: () => unknown): unknown {
  try {
    run();
  } catch (thrown) {
    return readThrown(thrown);
  }
  throw new Error("Nothing was thrown");
}
