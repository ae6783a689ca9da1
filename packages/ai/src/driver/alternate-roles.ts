/**
 * Makes the roles of a request alternate, for servers whose chat template rejects other orders. Works on the finished
 * body, because only there is known which messages an api omits.
 */
import { EARLIER_CONVERSATION, RESULTS_READ } from "../request/index.js";
import type { WireRequest } from "../transport/index.js";
import type { Api } from "../types/model.js";
import { isRecord } from "../utils/is-object.js";

type Entry = Record<string, unknown>;
type Role = "user" | "assistant" | "tool" | "other";

interface BodyShape {
  /** The field with the conversation. */
  field: "messages" | "input";
  roleOf(entry: Entry): Role;
  /** A message of one text. */
  say(role: "user" | "assistant", text: string): Entry;
  /** Whether two neighbouring entries of the assistant are joined. */
  joinsAssistant: boolean;
}

const ROLES: ReadonlySet<unknown> = new Set<Role>(["user", "assistant", "tool"]);

/** Chat Completions, and Mistral's api. */
const CHAT: BodyShape = {
  field: "messages",
  // The set holds roles only.
  roleOf: ({ role }) => (ROLES.has(role) ? (role as Role) : "other"),
  say: (role, text) => ({ role, content: text }),
  joinsAssistant: true,
};

const MESSAGES: BodyShape = {
  field: "messages",
  roleOf: (entry) =>
    listOf(entry["content"]).some((part) => part["type"] === "tool_result") ? "tool" : CHAT.roleOf(entry),
  say: (role, text) => ({ role, content: [{ type: "text", text }] }),
  joinsAssistant: true,
};

const ASSISTANT_ITEMS: ReadonlySet<unknown> = new Set(["reasoning", "function_call"]);

/** The server joins the items of one response itself. */
const RESPONSES: BodyShape = {
  field: "input",
  roleOf(item) {
    if (item["type"] === "function_call_output") return "tool";
    return ASSISTANT_ITEMS.has(item["type"]) ? "assistant" : CHAT.roleOf(item);
  },
  say: (role, text) => ({
    ...(role === "assistant" ? { type: "message", status: "completed", id: "msg_inserted" } : {}),
    role,
    content: [role === "user" ? { type: "input_text", text } : { type: "output_text", text, annotations: [] }],
  }),
  joinsAssistant: false,
};

const SHAPES: Readonly<Record<string, BodyShape>> = {
  "openai-completions": CHAT,
  "mistral-conversations": CHAT,
  "anthropic-messages": MESSAGES,
  "openai-responses": RESPONSES,
};

/**
 * Returns the request with joined neighbours of one role, an assistant message between a tool result and a user message,
 * and a user message at the start. The request of an api that has no such servers is returned unchanged.
 */
export function alternateRoles(request: WireRequest, api: Api): WireRequest {
  const shape = Object.hasOwn(SHAPES, api) ? SHAPES[api] : undefined;
  const { body } = request;
  if (!shape || !isRecord(body) || !Array.isArray(body[shape.field])) return request;
  return { ...request, body: { ...body, [shape.field]: alternate(listOf(body[shape.field]), shape) } };
}

function alternate(entries: readonly Entry[], shape: BodyShape): Entry[] {
  const sent: Entry[] = [];
  let last: Role = "other";
  for (const entry of entries) {
    const role = shape.roleOf(entry);
    const before = sent.at(-1);
    if (role === "user" && last === "tool") sent.push(shape.say("assistant", RESULTS_READ));
    if (role !== "user" && role !== "other" && last === "other") sent.push(shape.say("user", EARLIER_CONVERSATION));
    const joins = role === last && (role === "user" || (role === "assistant" && shape.joinsAssistant));
    if (joins && before) sent[sent.length - 1] = join(before, entry);
    else sent.push(entry);
    last = role;
  }
  return sent;
}

/** Lists, such as tool calls and the parts of the content, are put one after the other, and so are texts. */
function join(first: Entry, second: Entry): Entry {
  const joined: Entry = { ...first };
  for (const [name, value] of Object.entries(second)) joined[name] = joinField(name, joined[name], value);
  return joined;
}

function joinField(name: string, first: unknown, second: unknown): unknown {
  if (first === undefined || first === null || first === "" || name === "role") return second;
  if (second === undefined || second === null || second === "") return first;
  if (typeof first === "string" && typeof second === "string") return `${first}\n\n${second}`;
  return [...partsOf(first), ...partsOf(second)];
}

function partsOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : typeof value === "string" ? [{ type: "text", text: value }] : [value];
}

function listOf(value: unknown): Entry[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
