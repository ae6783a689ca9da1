/** Chunks of the Chat Completions API with odd values in any field. */
import fc from "fast-check";
import { junk, mostly, number, record, word } from "../../conformance/random-events.js";

const fragment = record({ index: number, id: word, function: record({ name: word, arguments: fc.oneof(word, junk) }) });
const detail = record({ type: mostly(fc.constantFrom("reasoning.text", "reasoning.encrypted")), id: word, text: word });
const chatUsage = record({
  prompt_tokens: number,
  completion_tokens: number,
  prompt_tokens_details: record({ cached_tokens: number, cache_write_tokens: number }),
});
export const chatEvent: fc.Arbitrary<unknown> = record({
  id: word,
  model: word,
  usage: chatUsage,
  choices: mostly(
    fc.array(
      record({
        index: number,
        finish_reason: mostly(fc.constantFrom(null, "stop", "length")),
        usage: chatUsage,
        delta: record({
          content: fc.oneof(word, fc.array(record({ type: fc.constant("text"), text: word }))),
          refusal: word,
          reasoning: word,
          reasoning_content: word,
          reasoning_details: mostly(fc.array(detail)),
          tool_calls: mostly(fc.array(fragment)),
          function_call: record({ name: word, arguments: word }),
        }),
      }),
    ),
  ),
});
