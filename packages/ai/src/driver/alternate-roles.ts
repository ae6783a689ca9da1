/**
 * Makes the roles of a request alternate, for servers whose chat template rejects other orders. Works on the finished
 * body, because only there is known which messages an api omits.
 */
import { EARLIER_CONVERSATION, RESULTS_READ } from "../request/index.js";
import type { WireRequest } from "../transport/index.js";
import { isRecord } from "../utils/is-object.js";

type Entry = Record<string, unknown>;
type Role = "user" | "assistant" | "tool" | "other";

/** How the body of an api holds the conversation. */
export interface ConversationShape {
  /** The field with the conversation. */
  field: "messages" | "input";
  /** The role of an entry that does not state it in its field `role`. */
  roleOf?(entry: Entry): "assistant" | "tool" | undefined;
  /** A message of one text. Default: the text is its content. */
  say?(role: "user" | "assistant", text: string): Entry;
  /** Whether the server itself joins neighbouring entries of the assistant. Default false. */
  serverJoins?: boolean;
}

const ROLES: ReadonlySet<unknown> = new Set<Role>(["user", "assistant", "tool"]);

/**
 * Returns the request with joined neighbours of one role, an assistant message between a tool result and a user message,
 * and a user message at the start. The request of an api that has no such servers is returned unchanged.
 */
export function alternateRoles(request: WireRequest, shape: ConversationShape | undefined): WireRequest {
  const { body } = request;
  if (!shape || !isRecord(body)) return request;
  const entries = body[shape.field];
  if (!Array.isArray(entries)) return request;
  return { ...request, body: { ...body, [shape.field]: alternate(entries.filter(isRecord), shape) } };
}

function alternate(entries: readonly Entry[], shape: ConversationShape): Entry[] {
  const { say = (role, content) => ({ role, content }) } = shape;
  const sent: Entry[] = [];
  let last: Role = "other";
  for (const entry of entries) {
    const role = shape.roleOf?.(entry) ?? statedRole(entry);
    const before = sent.at(-1);
    if (role === "user" && last === "tool") sent.push(say("assistant", RESULTS_READ));
    if (role !== "user" && role !== "other" && last === "other") sent.push(say("user", EARLIER_CONVERSATION));
    const joins = role === last && (role === "user" || (role === "assistant" && !shape.serverJoins));
    if (joins && before) sent[sent.length - 1] = join(before, entry);
    else sent.push(entry);
    last = role;
  }
  return sent;
}

function statedRole({ role }: Entry): Role {
  // The set holds roles only.
  return ROLES.has(role) ? (role as Role) : "other";
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
