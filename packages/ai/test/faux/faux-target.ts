/** The faux provider as a conformance target; it has no wire format. */
import { fauxAssistantMessage, fauxText, fauxThinking, fauxToolCall, registerFauxProvider } from "../../src/index.js";
import type { AssistantMessage } from "../../src/types/message.js";
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
};

export const faux: Target = {
  name: "faux",
  responses: Object.fromEntries(Object.entries(CONTENTS).map(([name, content]) => [name, toResponse(content)])),
  prepare: (name, { hold = false } = {}): PreparedRequest => {
    const provider = registerFauxProvider(hold ? { tokensPerSecond: SLOW } : {});
    const content = CONTENTS[name] ?? [];
    const stopReason = content.some((block) => block.type === "toolCall") ? "toolUse" : "stop";
    provider.setResponses([fauxAssistantMessage(hold ? [...content, REST] : content, { stopReason })]);
    return { model: provider.getModel(), options: {} };
  },
};

function toResponse(content: AssistantMessage["content"]): ExpectedResponse {
  return { content: toExpected(fauxAssistantMessage(content)) };
}
