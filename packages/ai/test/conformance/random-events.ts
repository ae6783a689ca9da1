/** Random events that test a mapping with values of any type. */
import fc from "fast-check";

/** Values that a server may send in place of the right ones. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, "", "x", "__proto__", [], {}, [null], [[]], {
    toString: 1,
    length: 3,
  }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** A good value most of the time, so that odd values meet a stream in progress. */
export function mostly<T>(good: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 5, arbitrary: good }, { weight: 1, arbitrary: junk });
}

export function record(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  return mostly(fc.record(fields, { requiredKeys: [] }));
}

export const word: fc.Arbitrary<unknown> = mostly(fc.constantFrom("a", "bc", '{"x":', "1}", "\ud83c", "null"));
export const number: fc.Arbitrary<unknown> = mostly(fc.nat({ max: 3 }));

/** Field names and values of the other apis, combined at random. */
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
/** An event with names and values of all apis. */
export const anyEvent: fc.Arbitrary<unknown> = fc.dictionary(names, tree, { minKeys: 1, maxKeys: 8 });
