import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AssistantMessageBuilder } from "../src/assemble/assistant-message-builder.js";
import { resolveResponsesFlags } from "../src/compat/openai-responses.js";
import { PiError } from "../src/errors.js";
import { createBedrockMapping } from "../src/providers/amazon-bedrock/stream.js";
import { createAnthropicMapping } from "../src/providers/anthropic/stream.js";
import { createGoogleMapping } from "../src/providers/google/stream.js";
import { createMistralMapping } from "../src/providers/mistral/stream.js";
import { createCompletionsMapping } from "../src/providers/openai-completions/stream.js";
import { createResponsesMapping } from "../src/providers/openai-responses/stream.js";
import type { WireMapping } from "../src/runtime/api-adapter.js";
import { toFailure } from "../src/runtime/failure.js";
import type { AssistantMessageEvent } from "../src/types/event.js";
import { checkEvents } from "./support/check-events.js";
import { plainModel } from "./support/plain-adapter.js";

fc.configureGlobal({ seed: 20261121, numRuns: 150 });

/** What a server may put where something else belongs. */
const junk = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, "", "x", "__proto__", [], {}, [null], [[]], {
    toString: 1,
    length: 3,
  }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** A good value most of the time, so that the odd ones meet a stream under way. */
function mostly<T>(good: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 5, arbitrary: good }, { weight: 1, arbitrary: junk });
}

function record(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  return mostly(fc.record(fields, { requiredKeys: [] }));
}

const word = mostly(fc.constantFrom("a", "bc", '{"x":', "1}", "\ud83c", "null"));
const number = mostly(fc.nat({ max: 3 }));
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
const anthropicEvent = record({
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

const fragment = record({ index: number, id: word, function: record({ name: word, arguments: fc.oneof(word, junk) }) });
const detail = record({ type: mostly(fc.constantFrom("reasoning.text", "reasoning.encrypted")), id: word, text: word });
const chatUsage = record({
  prompt_tokens: number,
  completion_tokens: number,
  prompt_tokens_details: record({ cached_tokens: number, cache_write_tokens: number }),
});
const chatEvent = record({
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

/** Field names and words of the other protocols, put together at random. */
const names = fc.constantFrom(
  ...[
    "type",
    "index",
    "id",
    "item_id",
    "output_index",
    "content_index",
    "summary_index",
    "item",
    "part",
    "delta",
    "text",
  ],
  ...[
    "response",
    "output",
    "content",
    "summary",
    "arguments",
    "name",
    "call_id",
    "status",
    "usage",
    "error",
    "message",
    "code",
  ],
  ...[
    "candidates",
    "parts",
    "functionCall",
    "args",
    "partialArgs",
    "jsonPath",
    "thought",
    "thoughtSignature",
    "finishReason",
  ],
  ...[
    "usageMetadata",
    "promptTokenCount",
    "promptFeedback",
    "blockReason",
    "choices",
    "tool_calls",
    "function",
    "finish_reason",
  ],
  ...[
    "contentBlockIndex",
    "start",
    "toolUse",
    "toolUseId",
    "input",
    "reasoningContent",
    "signature",
    "stopReason",
    "metadata",
  ],
  ...["input_tokens", "output_tokens", "inputTokens", "outputTokens", "willContinue", "incomplete_details", "reason"],
);
const words = fc.constantFrom<unknown>(
  ...["response.created", "response.output_item.added", "response.output_item.done", "response.output_text.delta"],
  ...["response.function_call_arguments.delta", "response.function_call_arguments.done", "response.completed"],
  ...["response.content_part.added", "response.reasoning_summary_text.delta", "response.failed", "response.incomplete"],
  ...[
    "message",
    "reasoning",
    "function_call",
    "output_text",
    "refusal",
    "STOP",
    "MAX_TOKENS",
    "stop",
    "tool_use",
    "completed",
  ],
  ...["text", "thinking", "assistant", "a", '{"x":', "1}", 0, 1, null],
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5 },
    { weight: 3, arbitrary: words },
    { weight: 1, arbitrary: junk },
    { weight: 5, arbitrary: fc.dictionary(names, tie("tree"), { maxKeys: 6 }) },
    { weight: 2, arbitrary: fc.array(tie("tree"), { maxLength: 3 }) },
  ),
}));
const anyEvent = fc.dictionary(names, tree, { minKeys: 1, maxKeys: 8 });
const awsEvent = fc.record({
  kind: fc.constant("event"),
  name: fc.constantFrom(
    "messageStart",
    "contentBlockStart",
    "contentBlockDelta",
    "contentBlockStop",
    "messageStop",
    "metadata",
  ),
  payload: anyEvent,
});

describe.each<[string, () => WireMapping, fc.Arbitrary<unknown>]>([
  ["anthropic-messages", () => createAnthropicMapping("test"), anthropicEvent],
  ["openai-completions", () => createCompletionsMapping("test", {}), chatEvent],
  ["openai-responses", () => createResponsesMapping("test", resolveResponsesFlags(plainModel), undefined), anyEvent],
  ["google-generative-ai", () => createGoogleMapping("test"), anyEvent],
  ["mistral-conversations", () => createMistralMapping("test"), anyEvent],
  ["bedrock-converse-stream", () => createBedrockMapping("test"), awsEvent],
])("%s: events of any shape", (_, createMapping, event) => {
  it("make a legal stream, and never a crash", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30, size: "max" }), (wire) => {
        const events: AssistantMessageEvent[] = [];
        const builder = new AssistantMessageBuilder({ model: plainModel, emit: (emitted) => events.push(emitted) });
        const mapping = createMapping();
        builder.start();
        try {
          for (const value of JSON.parse(JSON.stringify(wire))) {
            // The decoder hands on objects only.
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
