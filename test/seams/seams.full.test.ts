import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Change, PatchedSources } from "./patched-sources.js";

/** The compiler reads both packages for each case. */
const TIMEOUT_MS = 120_000;

let sources: PatchedSources;
beforeAll(async () => {
  sources = await PatchedSources.create();
}, TIMEOUT_MS);
afterAll(() => sources[Symbol.asyncDispose]());

interface Seam extends Change {
  what: string;
  /** Every place that must handle the addition. All other code handles every addition already. */
  places: string[];
}

const MESSAGE = "ai/src/types/message.ts";
const BLOCKS = "ai/src/types/blocks.ts";
const USAGE = "ai/src/types/usage.ts";

const SEAMS: Seam[] = [
  {
    what: "a field of an assistant message",
    file: MESSAGE,
    after: "  responseModel?: string;\n",
    insert: "  fake?: string;\n",
    places: [
      "agent/src/serve/proxy/proxy-facts.ts FACTS",
      "ai/src/message/message-sink.ts FACT_CHECKS",
      "ai/src/server/event-encoder.ts FACTS",
      "ai/src/server/request-schema.ts MESSAGES",
    ],
  },
  {
    what: "a count of the usage",
    file: USAGE,
    after: "  reasoning?: number;\n",
    insert: "  fake?: number;\n",
    places: [
      "agent/src/serve/proxy/proxy-facts.ts COUNTS",
      "ai/src/message/add-usage.ts COUNTS",
      "ai/src/message/merge-usage.ts COUNTS",
    ],
  },
  {
    what: "a part of the cost",
    file: USAGE,
    after: "export interface UsageCost {\n",
    insert: "  fake?: number;\n",
    places: ["agent/src/serve/proxy/proxy-facts.ts COSTS", "ai/src/message/add-usage.ts COSTS"],
  },
  {
    what: "a fact about a failure",
    file: MESSAGE,
    after: "  attempts?: number;\n",
    insert: "  fake?: number;\n",
    places: ["agent/src/serve/proxy/proxy-facts.ts ERROR_FIELDS", "ai/src/server/event-encoder.ts ERROR_FIELDS"],
  },
  {
    what: "a field of a block",
    file: BLOCKS,
    after: "  textSignature?: string;\n",
    insert: "  fake?: string;\n",
    places: [
      "ai/src/message/message-sink.ts BLOCK_CHECKS",
      "ai/src/request/handoff/foreign-content.ts PORTABLE",
      "ai/src/server/wire-names.ts WIRE_NAMES",
      "ai/src/server/request-schema.ts TEXT",
    ],
  },
  {
    what: "a type of block in assistant messages",
    file: BLOCKS,
    after: "export type AssistantBlock =\n",
    insert: '  | { type: "fake"; fake: string }\n',
    places: [
      "agent/src/middleware/compact/describe-messages.ts describeBlock",
      "ai/src/message/assistant-message-builder.ts AssistantMessageBuilder",
      "ai/src/message/message-sink.ts BLOCK_CHECKS",
      "ai/src/message/response-completion.ts endOf",
      "ai/src/message/response-completion.ts kindOf",
      "ai/src/testing/play-response.ts serializeBlock",
      "ai/src/testing/play-response.ts textOf",
      "ai/src/request/handoff/foreign-content.ts toForeign",
      "ai/src/request/handoff/replayable.ts toOwn",
      "ai/src/providers/amazon-bedrock/messages.ts toAssistantBlock",
      "ai/src/providers/anthropic/messages.ts toAssistantBlock",
      "ai/src/providers/google/messages.ts toModelParts",
      "ai/src/providers/mistral/messages.ts toAssistantMessage",
      "ai/src/providers/openai-completions/messages.ts sortBlocks",
      "ai/src/providers/openai-responses/messages.ts fromAssistant",
      "ai/src/server/wire-names.ts WIRE_NAMES",
      "ai/src/server/request-schema.ts ASSISTANT_BLOCKS",
      "ai/src/tokens/estimate-tokens.ts estimateBlock",
    ],
  },
  {
    what: "a type of block in user messages and tool results",
    file: BLOCKS,
    after: "export type UserBlock =",
    insert: ' { type: "fake"; fake: string } |',
    places: [
      "agent/src/serve/ag-ui/event-mapping.ts toContent",
      "agent/src/middleware/compact/context-view.ts noteOf",
      "agent/src/tool-result.ts REQUIRED_TEXTS",
      "agent/src/serve/ui-stream/chunk-mapping.ts toUserParts",
      "agent/src/serve/ui-stream/from-ui-messages.ts addPart",
      "ai/src/middleware/cache-break.ts withoutMark",
      "ai/src/testing/play-response.ts serializeBlock",
      "ai/src/request/handoff/foreign-files.ts isReadable",
      "ai/src/request/handoff/foreign-files.ts noteOf",
      "ai/src/request/fit-images.ts placesIn",
      "ai/src/providers/amazon-bedrock/attachments.ts Attachments",
      "ai/src/providers/amazon-bedrock/attachments.ts checkSize",
      "ai/src/providers/amazon-bedrock/attachments.ts exceededLimit",
      "ai/src/providers/amazon-bedrock/attachments.ts sourceOf",
      "ai/src/providers/amazon-bedrock/attachments.ts withoutFormat",
      "ai/src/providers/amazon-bedrock/messages.ts pointOf",
      "ai/src/providers/amazon-bedrock/messages.ts toWireMessages",
      "ai/src/providers/anthropic/attachments.ts toAttachmentBlock",
      "ai/src/providers/anthropic/messages.ts toUserBlock",
      "ai/src/providers/content.ts ATTACHED",
      "ai/src/providers/content.ts cacheOf",
      "ai/src/providers/google/messages.ts toResponsePart",
      "ai/src/providers/google/messages.ts toResultTurns",
      "ai/src/providers/google/messages.ts toUserPart",
      "ai/src/providers/mistral/message-parts.ts toPart",
      "ai/src/providers/openai-completions/parts.ts toPart",
      "ai/src/providers/openai-completions/parts.ts toPlainPart",
      "ai/src/providers/openai-responses/input-parts.ts toInputPart",
      "ai/src/providers/openai-responses/input-parts.ts toPlainPart",
      "ai/src/providers/openai-responses/messages.ts fromCallResult",
      "ai/src/server/request-schema.ts USER_BLOCKS",
      "ai/src/tokens/estimate-tokens.ts estimateBlock",
      "ai/src/utils/file-blocks.ts FILE_TYPES",
      "ai/src/utils/file-blocks.ts fileBlocksOf",
    ],
  },
  {
    what: "a common option",
    file: "ai/src/types/options.ts",
    after: "  cacheRetention?: CacheRetention | undefined;\n",
    insert: "  fake?: string;\n",
    places: [
      "agent/src/serve/proxy/proxy-request.ts SENT",
      "agent/src/settings.ts SIDE_REQUEST_HAS",
      "ai/src/server/request-schema.ts OPTIONS",
      "ai/src/driver/option-names.ts STREAM_OPTIONS",
      "ai/test/sent-options.ts OPTION_SETTINGS",
    ],
  },
  {
    what: "a part of context management",
    file: "ai/src/types/context-management.ts",
    after: "export interface ContextManagement {\n",
    insert: "  fake?: boolean | { fake?: string };\n",
    places: [
      "ai/src/request/context-management/check-management.ts OPTIONS",
      "ai/src/server/request-schema.ts CONTEXT_MANAGEMENT",
    ],
  },
  {
    what: "an option of the provider's compaction",
    file: "ai/src/types/context-management.ts",
    after: "export interface ServerCompaction {\n",
    insert: "  fake?: boolean;\n",
    places: [
      "ai/src/request/context-management/check-management.ts OPTIONS",
      "ai/src/server/request-schema.ts CONTEXT_MANAGEMENT",
    ],
  },
  {
    what: "a field of a tool",
    file: "ai/src/types/tool.ts",
    after: "  parameters: TParameters;\n",
    insert: "  fake?: string;\n",
    places: [
      "agent/src/check-tools.ts FIELDS",
      "ai/src/middleware/cache-break.ts IN_PROMPT",
      "ai/src/server/request-schema.ts TOOL",
    ],
  },
  {
    what: "an event of a response",
    file: "ai/src/types/event.ts",
    after: "export type AssistantMessageEvent =\n",
    insert: '  | { type: "fake"; contentIndex: number; partial: AssistantMessage }\n',
    places: [
      "agent/src/serve/ag-ui/event-mapping.ts RunMapping",
      "agent/src/serve/proxy/map-proxy-event.ts STEPS",
      "agent/src/serve/ui-stream/chunk-mapping.ts RunChunks",
      "ai/src/server/event-encoder.ts ProxyEventEncoder",
    ],
  },
  {
    what: "an event of a run",
    file: "agent/src/types/event.ts",
    after: "type AgentEventBody =\n",
    insert: '  | { type: "fake" }\n',
    places: ["agent/src/embed/event-handler.ts route", "agent/src/state/agent-state.ts reduceAgentState"],
  },
  {
    what: "a hook of a run",
    file: "agent/src/types/config.ts",
    after: "export interface AgentLoopHooks extends ToolCallHooks {\n",
    insert: "  fake?: () => void;\n",
    places: ["agent/src/loop/llm-messages.ts SEES_MESSAGES", "agent/src/settings.ts SETTINGS"],
  },
  {
    what: "a hook of a tool call",
    file: "agent/src/types/tool-call-hooks.ts",
    after: "export interface ToolCallHooks {\n",
    insert: "  fake?: () => void;\n",
    places: [
      "agent/src/loop/llm-messages.ts SEES_MESSAGES",
      "agent/src/loop/tool-call.ts NO_HOOKS",
      "agent/src/settings.ts SETTINGS",
    ],
  },
  {
    what: "a thinking format",
    file: "ai/src/types/compat.ts",
    after: "export type ThinkingFormat =\n",
    insert: '  | "fake"\n',
    places: ["ai/src/catalogue/compat/openai-completions.ts FORMATS"],
  },
];

describe("the compiler names every place that has to handle an addition", () => {
  it.each(SEAMS)(
    "$what",
    async ({ places, ...change }) => {
      expect(await sources.brokenBy(change)).toEqual([...places].sort());
    },
    TIMEOUT_MS,
  );
});
