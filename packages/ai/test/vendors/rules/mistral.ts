/** What Mistral refuses, by its own validator: mistralai/mistral-common, protocol/instruct/validator.py. */
import * as find from "../find.js";
import { listOf, type RequestView } from "../request-view.js";
import type { Finding, Rule } from "../rule.js";
import { bmp, movingGif, PNG, png } from "../samples.js";
import { CHAT_FORM } from "./openai/form.js";

const VALIDATOR = "mistralai/mistral-common, protocol/instruct/validator.py";
const VISION = "mistralai/platform-docs-public, docs/capabilities/vision.md";
const ask = { role: "user", content: "Hi" };
const ID = "abcdefghi";

export const MISTRAL_RULES: readonly Rule[] = [
  {
    id: "mistral/half-pair",
    refuses: "half of a surrogate pair anywhere in the body",
    find: find.halfPair,
    says: "Invalid JSON in request body",
    source: "datatracker.ietf.org/doc/html/rfc8259#section-8.2",
    date: "2017-12",
    certainty: "supposed",
    example: { messages: [{ role: "user", content: "a\ud83d" }] },
  },
  {
    id: "mistral/no-messages",
    refuses: "a request without messages",
    find: find.noTurns,
    says: "Conversation must have at least one message",
    code: "3200",
    source: VALIDATOR,
    date: "2026-11",
    certainty: "documented",
    example: { messages: [] },
  },
  {
    id: "mistral/last-role",
    refuses: "a last message that is neither the user's nor a tool's",
    find: find.endsWith("assistant", "system"),
    says: "Expected last role User or Tool (or Assistant with prefix True) for serving but got {role}",
    code: "3230",
    source: VALIDATOR,
    date: "2026-11",
    certainty: "documented",
    example: { messages: [ask, { role: "assistant", content: "Well" }] },
  },
  {
    id: "mistral/order",
    refuses: "a message of the user after a tool's, or a tool's after the user's",
    find: wrongOrder,
    says: "Unexpected role '{role}' after role '{before}'",
    code: "3230",
    source: VALIDATOR,
    date: "2026-11",
    certainty: "documented",
    example: { messages: [ask, { role: "tool", tool_call_id: ID, content: "x" }] },
  },
  {
    id: "mistral/silent-assistant",
    refuses: "a message of the assistant with neither content nor calls",
    find: find.emptyTurn("assistant"),
    says: "Assistant message must have either content or tool_calls, but not none.",
    code: "3240",
    source: "OpenHands/OpenHands#8685",
    date: "2025-05",
    certainty: "reported",
    example: { messages: [ask, { role: "assistant", content: "" }, ask] },
  },
  {
    id: "mistral/tool-name",
    refuses: "a tool whose name is not 1 to 64 letters, digits, `_` and `-`",
    find: find.toolName(/^[a-zA-Z0-9_-]{1,64}$/),
    says: "Function name was {name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.",
    code: "3210",
    source: VALIDATOR,
    date: "2026-11",
    certainty: "documented",
    example: CHAT_FORM.tools({ name: "a.b" }),
  },
  {
    id: "mistral/schema",
    refuses: "a tool's schema that JSON Schema does not allow",
    find: find.malformedSchema,
    says: "Invalid tool schema: {keyword}",
    code: "3220",
    source: VALIDATOR,
    date: "2026-11",
    certainty: "documented",
    example: CHAT_FORM.tools({ parameters: { type: "object", required: null } }),
  },
  {
    id: "mistral/call-name",
    refuses: "a call in the history whose name is not 1 to 64 letters, digits, `_` and `-`",
    find: find.callName(/^[a-zA-Z0-9_-]{1,64}$/),
    says: "Function name was {name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.",
    code: "3270",
    source: VALIDATOR,
    date: "2026-11",
    certainty: "documented",
    example: CHAT_FORM.called([{ id: ID, name: "a.b" }], [ID]),
  },
  {
    id: "mistral/call-id",
    refuses: "a call whose id is not nine letters and digits",
    find: find.callId(/^[a-zA-Z0-9]{9}$/),
    says: "Tool call id was {id} but must be a-z, A-Z, 0-9, with a length of 9.",
    code: "3280",
    source: VALIDATOR,
    date: "2026-11",
    certainty: "documented",
    example: CHAT_FORM.called([{ id: "call_1" }], ["call_1"]),
  },
  {
    id: "mistral/same-call-id",
    refuses: "two calls with one id in a message",
    find: find.sameCallId("turn"),
    says: "Duplicate tool call id in assistant message",
    code: "3270",
    source: VALIDATOR,
    date: "2026-11",
    certainty: "documented",
    example: CHAT_FORM.called([{ id: ID }, { id: ID }], [ID]),
  },
  {
    id: "mistral/call-arguments",
    refuses: "a call whose arguments are no object in JSON",
    find: find.inputNotAnObject,
    says: "Function arguments must be a valid JSON object",
    code: "3270",
    source: "pydantic/pydantic-ai#7208",
    date: "2026-08",
    certainty: "supposed",
    example: CHAT_FORM.called([{ id: ID, arguments: "{" }], [ID]),
  },
  {
    id: "mistral/unanswered-call",
    refuses: "a call without a tool message after it",
    find: find.unansweredCall("following"),
    says: "Not the same number of function calls and responses",
    code: "3230",
    source: VALIDATOR,
    date: "2026-11",
    certainty: "documented",
    example: CHAT_FORM.called([{ id: ID }, { id: "abcdefgh2" }], [ID]),
  },
  {
    id: "mistral/orphan-result",
    refuses: "a tool message without its call",
    find: find.orphanResult("before"),
    says: "Unexpected tool call id {id} in tool results",
    code: "3230",
    source: VALIDATOR,
    date: "2026-11",
    certainty: "documented",
    example: CHAT_FORM.called([{ id: ID }], [ID, "abcdefgh2"]),
  },
  {
    id: "mistral/empty-tools",
    refuses: "a choice of tools without tools",
    find: find.field("tool_choice", (_value, { body }) => listOf(body["tools"]).length === 0),
    says: "tool_choice was set but no tools were given",
    code: "3200",
    source: "docs.mistral.ai/api",
    date: "2026-11",
    certainty: "supposed",
    example: { tools: [], tool_choice: "any" },
  },
  {
    id: "mistral/result-twice",
    refuses: "two tool messages of one call",
    find: ({ results, turns }) => {
      const twice = results.find(({ id, turn }) =>
        results.some(
          (other) =>
            other.id === id && other.turn < turn && turns.slice(other.turn, turn).every(({ role }) => role === "tool"),
        ),
      );
      return twice && { at: twice.at, id: String(twice.id) };
    },
    says: "Duplicate tool call id {id} in tool results",
    code: "3230",
    source: VALIDATOR,
    date: "2026-11",
    certainty: "documented",
    example: CHAT_FORM.called([{ id: ID }, { id: "abcdefgh2" }], [ID, ID, "abcdefgh2"]),
  },
  {
    id: "mistral/result-name",
    refuses: "a tool message with a name that is not 1 to 64 letters, digits, `_` and `-`",
    find: ({ body }) => {
      const turn = listOf(body["messages"]).findIndex(
        ({ role, name }) => role === "tool" && name !== undefined && !/^[a-zA-Z0-9_-]{1,64}$/.test(String(name)),
      );
      return turn < 0 ? undefined : { at: `messages[${turn}].name` };
    },
    says: "Function name was {at} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.",
    code: "3250",
    source: VALIDATOR,
    date: "2026-11",
    certainty: "documented",
    example: {
      messages: [
        ...listOf(CHAT_FORM.called([{ id: ID }], [])["messages"]).slice(0, 2),
        { role: "tool", tool_call_id: ID, name: "a.b", content: "x" },
      ],
    },
  },
  {
    id: "mistral/picture-count",
    refuses: "more than 8 pictures",
    find: find.pictureCount(8),
    says: "Too many images in request: {count} > {most}",
    code: "3310",
    source: VISION,
    date: "2025-11",
    certainty: "documented",
    example: {
      messages: [
        { role: "user", content: Array.from({ length: 9 }, () => CHAT_FORM.picture(`data:image/png;base64,${PNG}`)) },
      ],
    },
  },
  {
    id: "mistral/animation",
    refuses: "a GIF of more than one picture",
    find: find.pictures((_part, { frames = 1 }) => (frames > 1 ? { frames } : undefined)),
    says: "Image could not be loaded as a valid image",
    code: "3310",
    source: VISION,
    date: "2025-11",
    certainty: "documented",
    example: {
      messages: [{ role: "user", content: [CHAT_FORM.picture(`data:image/gif;base64,${movingGif(2)}`)] }],
    },
  },
  {
    id: "mistral/picture-pixels",
    refuses: "a picture of more than 10,000 pixels on an edge",
    find: find.pictureSize(10_000),
    says: "Image exceeds 10000x10000",
    code: "3310",
    source: VISION,
    date: "2025-11",
    certainty: "documented",
    example: {
      messages: [{ role: "user", content: [CHAT_FORM.picture(`data:image/png;base64,${png(10_001, 10)}`)] }],
    },
  },
  {
    id: "mistral/picture-bytes",
    refuses: "a picture of more than 10 MB",
    find: find.pictureBytes(10 * 1024 * 1024),
    says: "Image exceeds 10 MB",
    code: "3310",
    source: VISION,
    date: "2025-11",
    certainty: "documented",
    example: {
      messages: [{ role: "user", content: [CHAT_FORM.picture(`data:image/png;base64,${png(1, 1, 11_000_000)}`)] }],
    },
  },
  {
    id: "mistral/picture-format",
    refuses: "a picture that is no PNG, JPEG, WebP or GIF by its bytes",
    find: find.pictureFormat("png", "jpeg", "webp", "gif"),
    says: "Image could not be loaded as a valid image",
    code: "3310",
    source: VISION,
    date: "2025-11",
    certainty: "documented",
    example: {
      messages: [{ role: "user", content: [{ type: "image_url", image_url: `data:image/bmp;base64,${bmp()}` }] }],
    },
  },
];

function wrongOrder({ turns }: RequestView): Finding | undefined {
  for (const [index, { at, role }] of turns.entries()) {
    const before = turns[index - 1]?.role;
    const wrong =
      (before === "tool" && role === "user") || (role === "tool" && before !== "tool" && before !== "assistant");
    if (wrong) return { at, role, before: before ?? "none" };
  }
  return undefined;
}
