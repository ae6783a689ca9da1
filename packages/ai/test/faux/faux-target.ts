/** The faux provider as a conformance target; it has no wire format. */
import {
  type AssistantMessage,
  fauxAssistantMessage,
  fauxCompaction,
  fauxFile,
  fauxImage,
  fauxServerTool,
  fauxText,
  fauxThinking,
  fauxToolCall,
  registerFauxProvider,
  type StopReason,
} from "pi-ai";
import {
  type ExpectedResponse,
  type PreparedRequest,
  type ResponseName,
  type Target,
  toExpected,
} from "../conformance/target.js";

/** Slow enough that a test can abort between two pieces. */
const SLOW = 2000;
/** Follows a held response, so that its end never comes. */
const REST = fauxText("and so on ".repeat(1000));

const CONTENTS: Partial<Record<ResponseName, AssistantMessage["content"]>> = {
  text: [fauxText("Hello, world!")],
  thinking: [fauxThinking("Let me see."), fauxText("Yes.")],
  call: [fauxToolCall("read", { path: "a.txt" }, { id: "call_1" })],
  parallelCalls: [fauxToolCall("read", { path: "a" }, { id: "call_1" }), fauxToolCall("read", {}, { id: "call_2" })],
  unicode: [fauxText("Grüße, 世界 👩‍👩‍👧 𝒳"), fauxToolCall("read", { path: "naïve/🌍.txt" }, { id: "call_1" })],
  citation: [fauxText("Cats purr.", [{ url: "https://cats.test/", title: "Cats", start: 0, end: 10 }])],
  serverTool: [
    fauxServerTool("web_search", { query: "cats" }, { id: "s1", output: { sources: [{ url: "https://cats.test/" }] } }),
    fauxText("Found."),
  ],
  waitingTool: [fauxServerTool("shell", { command: ["ls"] }, { id: "s1", status: "waiting" })],
  pause: [fauxServerTool("web_search", { query: "cats" }, { id: "s1", status: "running" })],
  image: [fauxText("Look:"), fauxImage()],
  file: [fauxFile("cats.csv", { mimeType: "text/csv" })],
  compaction: [fauxCompaction("So far: cats."), fauxText("Go on.")],
};
const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map([["pause", "pause"]]);

export const faux: Target = {
  name: "faux",
  responses: Object.fromEntries(Object.entries(CONTENTS).map(([name, content]) => [name, toResponse(name, content)])),
  prepare: (name, { hold = false } = {}): PreparedRequest => {
    const provider = registerFauxProvider(hold ? { tokensPerSecond: SLOW } : {});
    const content = CONTENTS[name] ?? [];
    const called = content.some((block) => block.type === "toolCall") ? "toolUse" : "stop";
    const stopReason = STOP_REASONS.get(name) ?? called;
    provider.setResponses([fauxAssistantMessage(hold ? [...content, REST] : content, { stopReason })]);
    return { model: provider.getModel(), options: {} };
  },
};

function toResponse(name: string, content: AssistantMessage["content"]): ExpectedResponse {
  const stopReason = STOP_REASONS.get(name);
  return { content: toExpected(fauxAssistantMessage(content)), ...(stopReason && { stopReason }) };
}
