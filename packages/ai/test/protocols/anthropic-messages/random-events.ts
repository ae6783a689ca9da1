/** Events of the Anthropic Messages API with odd values in any field. */
import fc from "fast-check";
import { junk, mostly, number, record, word } from "../../conformance/random-events.js";

const tokens = record({
  input_tokens: number,
  output_tokens: number,
  cache_creation: record({ ephemeral_1h_input_tokens: number }),
});

const block = record({
  type: mostly(fc.constantFrom("text", "thinking", "redacted_thinking", "tool_use", "server_tool_use")),
  text: word,
  thinking: word,
  signature: word,
  data: word,
  id: word,
  name: word,
  input: junk,
});
export const anthropicEvent: fc.Arbitrary<unknown> = record({
  type: mostly(
    fc.constantFrom(
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
      "ping",
    ),
  ),
  index: number,
  message: record({ id: word, usage: tokens, content: mostly(fc.array(block)), stop_reason: word }),
  content_block: block,
  delta: record({
    type: mostly(fc.constantFrom("text_delta", "thinking_delta", "input_json_delta", "signature_delta")),
    text: word,
    thinking: word,
    partial_json: word,
    signature: word,
    stop_reason: word,
  }),
  usage: tokens,
});
