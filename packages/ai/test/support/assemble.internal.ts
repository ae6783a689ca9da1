/** Runs a mapping on wire events, without a network. */

import type { WireMapping } from "../../src/driver/api-adapter.js";
import { PiError } from "../../src/errors.js";
import { AssistantMessageBuilder } from "../../src/message/assistant-message-builder.js";
import { toFailure } from "../../src/message/index.js";
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
    if (!PiError.is(thrown)) throw thrown;
    return { message: builder.fail(toFailure(thrown, { secrets: [], attempts: 1 })), events, overAt };
  }
}

/** Runs a function that must throw. */
export function errorOf(run: () => unknown): unknown {
  try {
    run();
  } catch (thrown) {
    return thrown;
  }
  throw new Error("Nothing was thrown");
}
