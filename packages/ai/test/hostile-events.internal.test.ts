import fc from "fast-check";
import { type AssistantMessageEvent, PiError } from "pi-ai";
import { AssistantMessageBuilder } from "pi-ai/assemble";
import { toFailure } from "pi-ai/call";
import { describe, expect, it } from "vitest";
import { budget } from "../../../test/support/suite.js";
import { anyEvent } from "./conformance/random-events.js";
import { adapterOf } from "./protocols/adapters.internal.js";
import { API_TESTS } from "./protocols/all-apis.js";
import { checkEvents } from "./support/check-events.js";
import { plainModel } from "./support/plain-adapter.js";

fc.configureGlobal({ seed: 20261121, numRuns: budget({ quick: 50, all: 150 }) });

const REQUEST = { context: { messages: [] }, options: {}, apiKey: "key", keyIsBearer: false };

describe.each(API_TESTS.map((tests) => [tests.api, tests] as const))("%s: events of any shape", (api, tests) => {
  it("produce a valid stream and never throw", () => {
    fc.assert(
      fc.property(fc.array(tests.events ?? anyEvent, { maxLength: 30, size: "max" }), (wire) => {
        const model = { ...plainModel, api };
        const events: AssistantMessageEvent[] = [];
        const builder = new AssistantMessageBuilder({ model, emit: (emitted) => events.push(emitted) });
        const mapping = adapterOf(api).createMapping(
          { ...REQUEST, model },
          { baseUrl: "", path: "", headers: {}, body: {} },
        );
        builder.start();
        try {
          for (const value of JSON.parse(JSON.stringify(wire))) {
            // The decoder passes on only objects.
            if (typeof value === "object" && value !== null && !Array.isArray(value) && mapping(value, builder)) break;
          }
          builder.finish();
        } catch (error) {
          if (!PiError.is(error)) throw error;
          builder.fail(toFailure(error, { secrets: [], attempts: 1 }));
        }
        const { usage } = checkEvents(events);
        expect(usage.totalTokens).toBe(usage.input + usage.output + usage.cacheRead + usage.cacheWrite);
      }),
    );
  });
});
