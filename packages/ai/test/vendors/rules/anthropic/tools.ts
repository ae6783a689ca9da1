/** What the Messages API refuses: tools, their schemas, and calls and results in the history. */
import * as find from "../../find.js";
import { type Fields, fieldsOf, listOf, type RequestView } from "../../request-view.js";
import type { Finding, Rule } from "../../rule.js";
import { PNG } from "../../samples.js";
import { ask, CALLS, call, called, image, MESSAGES, result, say, TYPES, tool } from "./form.js";

const referencesOf = (content: unknown): Fields[] =>
  Array.isArray(content) ? listOf(content).filter(({ type }) => type === "tool_reference") : [];

export const ANTHROPIC_TOOLS: readonly Rule[] = [
  {
    id: "anthropic/half-pair",
    refuses: "half of a surrogate pair anywhere in the body",
    find: find.halfPair,
    says: "The request body is not valid JSON: no low surrogate in string: line 1 column 2 (char 1)",
    source: "anthropics/claude-code#3277",
    date: "2025-07",
    certainty: "reported",
    example: say({ type: "text", text: "a\ud83d" }),
  },
  {
    id: "anthropic/tool-name",
    refuses: "a tool whose name is not 1 to 128 letters, digits, `_` and `-`",
    find: find.toolName(/^[a-zA-Z0-9_-]{1,128}$/),
    says: "{at}: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    source: "bug-ops/zeph#1311",
    date: "2026-03",
    certainty: "reported",
    example: tool({ name: "a.b" }),
  },
  {
    id: "anthropic/same-tool-name",
    refuses: "two tools with one name",
    find: find.sameToolName,
    says: "tools: Tool names must be unique.",
    source: "anthropics/claude-code#10687",
    date: "2025-10",
    certainty: "reported",
    example: { tools: [...tool({}).tools, ...tool({}).tools] },
  },
  {
    id: "anthropic/schema-union",
    refuses: "`anyOf`, `oneOf` or `allOf` at the top of a tool's schema",
    find: find.schemaTop("oneOf", "allOf", "anyOf"),
    says: "{at}: input_schema does not support oneOf, allOf, or anyOf at the top level",
    source: "anthropics/claude-code#5319",
    date: "2025-08",
    certainty: "reported",
    example: tool({ input_schema: { type: "object", anyOf: [{ type: "object" }] } }),
  },
  {
    id: "anthropic/schema-type",
    refuses: "a tool's schema that is no object at the top",
    find: find.schema(find.notAnObject),
    says: "{at}.type: Input should be 'object'",
    source: TYPES,
    date: "2026-11",
    certainty: "documented",
    example: tool({ input_schema: { type: "string" } }),
  },
  {
    id: "anthropic/schema-draft",
    refuses: "a tool's schema that JSON Schema 2020-12 does not allow: `required: null`, a list in `items`",
    find: find.malformedSchema,
    says: "{at}: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.claude.com/en/docs/tool-use.",
    source: "anthropics/claude-code#7365",
    date: "2025-09",
    certainty: "reported",
    example: tool({ input_schema: { type: "object", required: null } }),
  },
  {
    id: "anthropic/gone-tool",
    refuses: "a tool that a search has found and that the request does not declare",
    find: ({ body, tools }) => {
      const found = listOf(body["messages"])
        .flatMap(({ content }) => listOf(content))
        .flatMap(({ content }) => [...listOf(fieldsOf(content)["tool_references"]), ...referencesOf(content)])
        .find(({ tool_name: name }) => !tools.some((each) => each.name === name));
      return found && { at: "messages", name: String(found["tool_name"]) };
    },
    says: "Tool reference '{name}' has no corresponding tool definition",
    source: "platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool",
    date: "2026-11",
    certainty: "documented",
    example: {
      messages: [
        ask,
        {
          role: "assistant",
          content: [
            { type: "server_tool_use", id: "s1", name: "tool_search_tool_bm25", input: {} },
            {
              type: "tool_search_tool_result",
              tool_use_id: "s1",
              content: {
                type: "tool_search_tool_search_result",
                tool_references: [{ type: "tool_reference", tool_name: "gone" }],
              },
            },
          ],
        },
        ask,
      ],
    },
  },
  {
    id: "anthropic/reference-alone",
    refuses: "a reference to a tool beside other blocks of a result",
    find: ({ body }) => {
      const mixed = listOf(body["messages"])
        .flatMap(({ content }) => listOf(content))
        .find(({ content }) => {
          const references = referencesOf(content).length;
          return references > 0 && references < listOf(content).length;
        });
      return mixed && { at: "messages" };
    },
    says: "{at}: tool_reference blocks cannot be mixed with other content",
    source: "earendil-works/pi#6474",
    date: "2026-07",
    certainty: "reported",
    example: {
      ...tool({ name: "read" }),
      ...called(
        [call()],
        [
          result({
            content: [
              { type: "tool_reference", tool_name: "read" },
              { type: "text", text: "x" },
            ],
          }),
        ],
      ),
    },
  },
  {
    id: "anthropic/all-deferred",
    refuses: "a request whose tools are all deferred",
    find: ({ body }) => {
      const tools = listOf(body["tools"]);
      const all = tools.length > 0 && tools.every(({ defer_loading: deferred }) => deferred === true);
      return all ? { at: "tools" } : undefined;
    },
    says: "All tools have defer_loading set. At least one tool must be non-deferred.",
    source: "platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool",
    date: "2026-11",
    certainty: "documented",
    example: tool({ defer_loading: true }),
  },
  {
    id: "anthropic/property-name",
    refuses: "a property at the top of a schema whose name is not 1 to 64 letters, digits, `_`, `.` and `-`",
    find: find.schema(({ schema }) => {
      const name = Object.keys(fieldsOf(fieldsOf(schema)["properties"])).find(
        (key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key),
      );
      return name === undefined ? undefined : { name };
    }),
    says: "{at}.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
    source: "aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws#709",
    date: "2026-08",
    certainty: "reported",
    example: tool({ input_schema: { type: "object", properties: { $select: {} } } }),
  },
  {
    id: "anthropic/call-name",
    refuses: "a call in the history whose name has more than 200 characters or none",
    find: find.callName(/^.{1,200}$/s),
    says: "{at}: String should have at most 200 characters",
    source: "anthropics/claude-code#2673",
    date: "2025-06",
    certainty: "reported",
    example: called([call({ name: "x".repeat(201) })], [result()]),
  },
  {
    id: "anthropic/call-name-letters",
    refuses: "a call in the history whose name has other characters than letters, digits, `_` and `-`",
    find: find.callName(/^[a-zA-Z0-9_-]*$/),
    says: "{at}: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'",
    source: "docker/docker-agent#3974",
    date: "2026-08",
    certainty: "supposed",
    example: called([call({ name: "a.b" })], [result()]),
  },
  {
    id: "anthropic/call-id",
    refuses: "a call whose id is not letters, digits, `_` and `-`",
    find: find.callId(/^[a-zA-Z0-9_-]+$/),
    says: "{at}: String should match pattern '^[a-zA-Z0-9_-]+$'",
    source: "tailcallhq/forgecode#1142",
    date: "2025-07",
    certainty: "reported",
    example: called([call({ id: "a|b" })], [result({ tool_use_id: "a|b" })]),
  },
  {
    id: "anthropic/same-call-id",
    refuses: "two calls with one id",
    find: find.sameCallId("request"),
    says: "{at}: `tool_use` ids must be unique",
    source: "anthropics/claude-code#20901",
    date: "2026-01",
    certainty: "reported",
    example: called([call(), call()], [result()]),
  },
  {
    id: "anthropic/call-input",
    refuses: "a call whose input is no object",
    find: find.inputNotAnObject,
    says: "{at}.tool_use.input: Input should be a valid dictionary",
    source: CALLS,
    date: "2026-11",
    certainty: "documented",
    example: called([call({ input: [] })], [result()]),
  },
  {
    id: "anthropic/unanswered-call",
    refuses: "a call without its result in the next message",
    find: find.unansweredCall("next"),
    says: "{at}: `tool_use` ids were found without `tool_result` blocks immediately after: {id}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    source: CALLS,
    date: "2026-11",
    certainty: "documented",
    example: called([call()], [{ type: "text", text: "Hi" }]),
  },
  {
    id: "anthropic/orphan-result",
    refuses: "a result without its call in the message before",
    find: find.orphanResult("before"),
    says: "{at}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    source: "continuedev/continue#4751",
    date: "2025-03",
    certainty: "reported",
    example: say(result()),
  },
  {
    id: "anthropic/result-twice",
    refuses: "two results of one call",
    find: find.resultTwice,
    says: "{at}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}",
    source: "vectorize-io/hindsight#4250",
    date: "2026-09",
    certainty: "reported",
    example: called([call()], [result(), result()]),
  },
  {
    id: "anthropic/results-first",
    refuses: "a text before the results of a message",
    find: textBeforeResults,
    says: "{at}: `tool_use` ids were found without `tool_result` blocks immediately after: {id}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    source: CALLS,
    date: "2026-11",
    certainty: "documented",
    example: called([call()], [{ type: "text", text: "Here" }, result()]),
  },
  {
    id: "anthropic/error-result",
    refuses: "a failed result with anything but text",
    find: ({ results, parts }) => {
      const failed = results.find(
        ({ isError, at }) =>
          isError && parts.some((part) => part.at.startsWith(`${at}.tool_result`) && part.kind !== "text"),
      );
      return failed && { at: failed.at };
    },
    says: '{at}.tool_result: all content must be type "text" if "is_error" is true',
    source: "vellum-ai/vellum-assistant#18387",
    date: "2026-03",
    certainty: "reported",
    example: called([call()], [result({ is_error: true, content: [image("image/png", PNG)] })]),
  },
  {
    id: "anthropic/tool-choice",
    refuses: "a choice of tools without tools",
    find: find.field("tool_choice", (_value, { body }) => listOf(body["tools"]).length === 0),
    says: "tool_choice may only be specified while providing tools.",
    source: MESSAGES,
    date: "2026-11",
    certainty: "supposed",
    example: { tools: [], tool_choice: { type: "auto" } },
  },
  {
    id: "anthropic/tool-count",
    refuses: "very many tools",
    find: find.tooManyTools(10_000),
    says: "tools: List should have at most 10000 items",
    source: "platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool",
    date: "2026-11",
    certainty: "supposed",
    example: { tools: Array.from({ length: 10_001 }, (_, index) => ({ ...tool({}).tools[0], name: `t${index}` })) },
  },
];

function textBeforeResults({ results, parts }: RequestView): Finding | undefined {
  for (const { turn, at, id } of results) {
    const place = Number(at.split(".").at(-1));
    const before = parts.some((part) => part.turn === turn && !part.inResult && Number(part.at.split(".")[3]) < place);
    if (before) return { at: `messages.${turn - 1}`, id: String(id) };
  }
  return undefined;
}
