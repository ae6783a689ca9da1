/** What a client may ask for. Unknown fields are allowed, and those of the model beside provider and id are not read. */
import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Context } from "../types/context.js";
import type { SimpleStreamOptions } from "../types/options.js";
import { Problem } from "./problem.js";

const optionalText: TSchema = Type.Optional(Type.String());
const anyObject: TSchema = Type.Object({});
const time: TSchema = Type.Number();
const BUDGET: TSchema = Type.Optional(Type.Integer({ minimum: 0 }));

const TEXT = Type.Object({ type: Type.Literal("text"), text: Type.String(), textSignature: optionalText });
const IMAGE = Type.Object({ type: Type.Literal("image"), data: Type.String(), mimeType: Type.String() });
const THINKING = Type.Object({
  type: Type.Literal("thinking"),
  thinking: Type.String(),
  thinkingSignature: optionalText,
  redacted: Type.Optional(Type.Boolean()),
});
const TOOL_CALL = Type.Object({
  type: Type.Literal("toolCall"),
  id: Type.String(),
  name: Type.String(),
  arguments: anyObject,
  thoughtSignature: optionalText,
});

const MESSAGES: Readonly<Record<string, TObject>> = {
  user: Type.Object({
    content: Type.Union([Type.String(), Type.Array(Type.Union([TEXT, IMAGE]))]),
    timestamp: time,
  }),
  assistant: Type.Object({
    content: Type.Array(Type.Union([TEXT, THINKING, TOOL_CALL])),
    api: Type.String(),
    provider: Type.String(),
    model: Type.String(),
    stopReason: Type.String(),
    timestamp: time,
  }),
  toolResult: Type.Object({
    toolCallId: Type.String(),
    toolName: Type.String(),
    content: Type.Array(Type.Union([TEXT, IMAGE])),
    isError: Type.Boolean(),
    timestamp: time,
  }),
};

const OPTIONS = Type.Object({
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 10 })),
  maxTokens: Type.Optional(Type.Integer({ minimum: 1 })),
  reasoning: Type.Optional(
    Type.Union(["minimal", "low", "medium", "high", "xhigh", "max"].map((level) => Type.Literal(level))),
  ),
  cacheRetention: Type.Optional(Type.Union(["none", "short", "long"].map((name) => Type.Literal(name)))),
  // It becomes a header with some providers.
  sessionId: Type.Optional(Type.String({ pattern: "^[\\x21-\\x7e]{1,256}$" })),
  headers: Type.Optional(Type.Record(Type.String(), Type.String())),
  metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  transport: Type.Optional(
    Type.Union(["sse", "websocket", "websocket-cached", "auto"].map((name) => Type.Literal(name))),
  ),
  thinkingBudgets: Type.Optional(Type.Record(Type.String(), BUDGET)),
  maxRetryDelayMs: Type.Optional(Type.Integer({ minimum: 0 })),
  toolChoice: Type.Optional(Type.Union([Type.String(), anyObject])),
  foreignThinking: Type.Optional(Type.Union([Type.Literal("text"), Type.Literal("drop")])),
});

const TOOL = Type.Object({ name: Type.String({ minLength: 1 }), description: Type.String(), parameters: anyObject });

const BODY = Type.Object({
  model: Type.Object({ provider: Type.String({ maxLength: 200 }), id: Type.String({ maxLength: 500 }) }),
  context: Type.Object({
    systemPrompt: optionalText,
    messages: Type.Array(Type.Object({ role: Type.String() })),
    tools: Type.Optional(Type.Array(TOOL)),
  }),
  options: Type.Optional(OPTIONS),
});

export interface ProxyRequest {
  model: { provider: string; id: string };
  context: Context;
  /** Only options that the schema knows. */
  options: SimpleStreamOptions;
}

/** @throws Problem 400 that names the first field that is wrong */
export function parseProxyRequest(body: unknown, limits: { maxMessages: number; maxTools: number }): ProxyRequest {
  check(BODY, body, "");
  const { model, context, options = {} } = body;
  const { systemPrompt, messages, tools } = context;
  if (messages.length > limits.maxMessages) throw new Problem(400, `context.messages: more than ${limits.maxMessages}`);
  if (tools && tools.length > limits.maxTools) throw new Problem(400, `context.tools: more than ${limits.maxTools}`);
  for (const [index, message] of messages.entries()) {
    const path = `/context/messages/${index}`;
    const schema = Object.hasOwn(MESSAGES, message.role) ? MESSAGES[message.role] : undefined;
    if (!schema) throw new Problem(400, `${toPath(path)}.role: must be user, assistant or toolResult`);
    check(schema, message, path);
  }
  const clean = {
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    messages,
    ...(tools ? { tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })) } : {}),
  };
  const known = Object.keys(OPTIONS.properties).filter((name) => Object.hasOwn(options, name));
  // Both were just checked against schemas that say what the types say.
  return {
    model: { provider: model.provider, id: model.id },
    context: clean as Context,
    options: Object.fromEntries(known.map((name) => [name, Reflect.get(options, name)])) as SimpleStreamOptions,
  };
}

function check<TShape extends TSchema>(schema: TShape, value: unknown, path: string): asserts value is Static<TShape> {
  if (Value.Check(schema, value)) return;
  const fault = Value.Errors(schema, value).First();
  const place = toPath(`${path}${fault?.path ?? ""}`);
  throw new Problem(400, `${place || "body"}: ${lowerFirst(fault?.message ?? "is not valid")}`);
}

function toPath(pointer: string): string {
  return pointer.split("/").slice(1).join(".").slice(0, 200);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
