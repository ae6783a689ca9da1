/** The schema of a client's request, and the check of a body against it. */

import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { SchemaBudget } from "../request/index.js";
import type { Context, ServerToolRequest, Tool } from "../types/context.js";
import type {
  ClearThinking,
  ClearToolResults,
  ContextManagement,
  ServerCompaction,
} from "../types/context-management.js";
import type {
  AssistantBlock,
  Citation,
  FileContent,
  ImageContent,
  Message,
  TextContent,
  UserBlock,
} from "../types/message.js";
import type { RelayOption, SimpleStreamOptions } from "../types/options.js";
import { repeatedIdOf } from "../utils/message-facts.js";
import { ownValue } from "../utils/own-value.js";
import { Type } from "../vendor/typebox.js";
import { Check, Errors } from "../vendor/typebox-value.js";
import { Problem } from "./problem.js";

// Unknown fields are allowed; of the model only the provider and the id are read.

/** A schema for each field of a type: a new field, block or option fails to compile instead of arriving unchecked. */
type FieldSchemas<T> = { [TName in keyof T]-?: TSchema };

const CACHE: TSchema = Type.Optional(Type.Union([Type.Literal("short"), Type.Literal("long")]));
const optionalText: TSchema = Type.Optional(Type.String());
const anyObject: TSchema = Type.Object({});
const texts: TSchema = Type.Array(Type.String());
const SERVER_TOOLS: {
  [TKind in ServerToolRequest["kind"]]: FieldSchemas<Extract<ServerToolRequest, { kind: TKind }>>;
} = {
  webSearch: {
    kind: Type.Literal("webSearch"),
    maxUses: Type.Optional(Type.Integer({ minimum: 1 })),
    allowedDomains: Type.Optional(texts),
    blockedDomains: Type.Optional(texts),
  },
  codeExecution: { kind: Type.Literal("codeExecution") },
  fileSearch: {
    kind: Type.Literal("fileSearch"),
    storeIds: texts,
    maxResults: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  mcpServer: {
    kind: Type.Literal("mcpServer"),
    url: Type.String(),
    name: Type.String(),
    allowedTools: Type.Optional(texts),
    authorizationToken: optionalText,
    requireApproval: Type.Optional(Type.Boolean()),
  },
  toolSearch: {
    kind: Type.Literal("toolSearch"),
    variant: Type.Optional(Type.Union([Type.Literal("bm25"), Type.Literal("regex")])),
  },
  declared: {
    kind: Type.Literal("declared"),
    api: Type.String(),
    declaration: anyObject,
    betas: Type.Optional(texts),
  },
};

const TOOL: FieldSchemas<Tool> = {
  name: Type.String({ minLength: 1 }),
  description: Type.String(),
  parameters: anyObject,
  strict: Type.Optional(Type.Union([Type.Literal("prefer"), Type.Literal("require"), Type.Literal(false)])),
  once: Type.Optional(Type.Boolean()),
  cache: CACHE,
  loading: Type.Optional(Type.Literal("deferred")),
  examples: Type.Optional(Type.Array(anyObject)),
  namespace: Type.Optional(
    Type.Union([Type.String(), Type.Object({ name: Type.String(), description: Type.String() })]),
  ),
  callers: Type.Optional(Type.Array(Type.Union([Type.Literal("model"), Type.Literal("code")]))),
  output: Type.Optional(anyObject),
  server: Type.Optional(Type.Union(Object.values(SERVER_TOOLS).map((fields) => Type.Object(fields)))),
};

// The schema of the option `contextManagement` in a client's request.

const BUDGET: TSchema = Type.Optional(Type.Integer({ minimum: 0 }));
const TOKENS: TSchema = Type.Optional(Type.Integer({ minimum: 1 }));
const CONTEXT_MANAGEMENT: FieldSchemas<ContextManagement> = {
  compact: switchOr<ServerCompaction>({
    atTokens: TOKENS,
    prompt: Type.Optional(Type.String({ maxLength: 20_000 })),
    pause: Type.Optional(Type.Boolean()),
  }),
  clearToolResults: switchOr<ClearToolResults>({
    atTokens: TOKENS,
    keep: BUDGET,
    exclude: Type.Optional(Type.Array(Type.String())),
  }),
  clearThinking: switchOr<ClearThinking>({
    keep: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Literal("all")])),
  }),
};

function switchOr<TOptions>(fields: FieldSchemas<TOptions>): TSchema {
  return Type.Optional(Type.Union([Type.Boolean(), Type.Object(fields)]));
}

const time: TSchema = Type.Number();
/** Fields that nothing on the server reads. */
const ignored: TSchema = Type.Optional(Type.Unknown());

const CITATION: FieldSchemas<Citation> = {
  url: optionalText,
  title: optionalText,
  quote: optionalText,
  start: ignored,
  end: ignored,
  source: optionalText,
  signature: optionalText,
};
const TEXT: FieldSchemas<TextContent> = {
  type: Type.Literal("text"),
  text: Type.String(),
  textSignature: optionalText,
  citations: Type.Optional(Type.Array(Type.Object(CITATION))),
  cache: CACHE,
};
const IMAGE: FieldSchemas<ImageContent> = {
  type: Type.Literal("image"),
  data: Type.String(),
  mimeType: Type.String(),
  cache: CACHE,
};
const FILE: FieldSchemas<FileContent> = {
  type: Type.Literal("file"),
  mimeType: Type.String(),
  data: optionalText,
  // With an `s3:` or `gs:` address a client could read what the server's own accounts may read.
  url: Type.Optional(Type.String({ pattern: "^[Hh][Tt][Tt][Pp][Ss]?://" })),
  fileId: optionalText,
  name: optionalText,
  signature: optionalText,
  cache: CACHE,
};
const USER_BLOCKS: { [TType in UserBlock["type"]]: FieldSchemas<Extract<UserBlock, { type: TType }>> } = {
  text: TEXT,
  image: IMAGE,
  file: FILE,
};
const ASSISTANT_BLOCKS: {
  [TType in AssistantBlock["type"]]: FieldSchemas<Extract<AssistantBlock, { type: TType }>>;
} = {
  text: TEXT,
  thinking: {
    type: Type.Literal("thinking"),
    thinking: Type.String(),
    thinkingSignature: optionalText,
    redacted: Type.Optional(Type.Boolean()),
  },
  toolCall: {
    type: Type.Literal("toolCall"),
    id: Type.String(),
    name: Type.String(),
    arguments: anyObject,
    thoughtSignature: optionalText,
    namespace: optionalText,
    caller: Type.Optional(anyObject),
    argumentsError: optionalText,
    argumentsText: optionalText,
  },
  serverTool: {
    type: Type.Literal("serverTool"),
    id: Type.String(),
    name: Type.String(),
    status: Type.Union(["running", "done", "failed", "waiting"].map((status) => Type.Literal(status))),
    input: Type.Optional(anyObject),
    output: ignored,
    errorText: optionalText,
    signature: optionalText,
  },
  image: { ...IMAGE, signature: optionalText },
  file: FILE,
  compaction: { type: Type.Literal("compaction"), text: optionalText, signature: optionalText },
};

const userContent: TSchema = Type.Array(oneOf(USER_BLOCKS));

/** Those of a client: its system message would change what a server has set. */
type Given = Exclude<Message, { role: "system" }>;
const MESSAGES: { [TRole in Given["role"]]: FieldSchemas<Omit<Extract<Given, { role: TRole }>, "role">> } = {
  user: { content: Type.Union([Type.String(), userContent]), timestamp: time, origin: ignored },
  assistant: {
    content: Type.Array(oneOf(ASSISTANT_BLOCKS)),
    api: Type.String(),
    provider: Type.String(),
    model: Type.String(),
    stopReason: Type.String(),
    timestamp: time,
    responseModel: ignored,
    responseId: ignored,
    stopSequence: ignored,
    container: Type.Optional(Type.Object({ id: Type.String() })),
    diagnostics: ignored,
    usage: ignored,
    errorMessage: ignored,
    error: ignored,
  },
  toolResult: {
    toolCallId: Type.String(),
    toolName: Type.String(),
    content: userContent,
    isError: Type.Boolean(),
    timestamp: time,
    details: ignored,
    output: Type.Optional(anyObject),
    durationMs: ignored,
  },
};
const MESSAGE_SCHEMAS: Readonly<Record<string, TObject>> = Object.fromEntries(
  Object.entries(MESSAGES).map(([role, fields]) => [role, Type.Object(fields)]),
);

const OPTIONS: Readonly<Record<RelayOption, TSchema>> = {
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 10 })),
  stopSequences: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { maxItems: 64 })),
  topP: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  seed: Type.Optional(Type.Integer()),
  parallelToolCalls: Type.Optional(Type.Boolean()),
  verbosity: Type.Optional(Type.Union([Type.Literal("low"), Type.Literal("medium"), Type.Literal("high")])),
  // A dearer one is the server's decision.
  serviceTier: Type.Optional(Type.Union([Type.Literal("flex"), Type.Literal("standard")])),
  fallbacks: Type.Optional(
    Type.Union([Type.Literal("default"), Type.Array(Type.String({ pattern: "\\S" }), { minItems: 1, maxItems: 3 })]),
  ),
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
  outputFormat: Type.Optional(
    Type.Object({ schema: anyObject, name: Type.Optional(Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$" })) }),
  ),
  contextManagement: Type.Optional(Type.Object(CONTEXT_MANAGEMENT)),
};

const CONTEXT: { [TName in keyof Context]-?: TSchema } = {
  systemPrompt: optionalText,
  messages: Type.Array(Type.Object({ role: Type.String() })),
  tools: Type.Optional(Type.Array(Type.Object(TOOL))),
};

const BODY = Type.Object({
  model: Type.Object({ provider: Type.String({ maxLength: 200 }), id: Type.String({ maxLength: 500 }) }),
  context: Type.Object(CONTEXT),
  options: Type.Optional(Type.Object(OPTIONS)),
});

interface RequestLimits {
  maxMessages: number;
  maxTools: number;
  maxServerTools: number;
}

export interface ProxyRequest {
  model: { provider: string; id: string };
  context: Context;
  /** Only options that the schema knows. */
  options: SimpleStreamOptions;
}

/** @throws Problem 400 that names the first field that is wrong */
export function parseProxyRequest(body: unknown, limits: RequestLimits): ProxyRequest {
  check(BODY, body, "");
  const { model, options = {} } = body;
  // By their types, the schemas cover all fields except those of each message, which are checked below.
  const context = body.context as Context;
  const { messages, tools } = context;
  if (messages.length > limits.maxMessages) throw new Problem(400, `context.messages: more than ${limits.maxMessages}`);
  if (tools && tools.length > limits.maxTools) throw new Problem(400, `context.tools: more than ${limits.maxTools}`);
  const serverTools = tools?.filter(({ server }) => server) ?? [];
  if (serverTools.length > limits.maxServerTools)
    throw new Problem(400, `context.tools: more than ${limits.maxServerTools} tools that the provider runs`);
  for (const [index, message] of messages.entries()) {
    const path = `/context/messages/${index}`;
    const schema = ownValue(MESSAGE_SCHEMAS, message.role);
    if (!schema) throw new Problem(400, `${toPath(path)}.role: must be user, assistant or toolResult`);
    check(schema, message, path);
    const { content } = message as Message; // Checked for its role.
    if (
      message.role === "assistant" &&
      Array.isArray(content) &&
      repeatedIdOf(content as AssistantBlock[]) !== undefined
    )
      throw new Problem(400, `${toPath(path)}.content: two calls have one id`);
  }
  const clean = { ...pick(context, CONTEXT), ...(tools ? { tools: tools.map((tool) => pick(tool, TOOL)) } : {}) };
  checkSchemas(tools ?? [], (options as SimpleStreamOptions).outputFormat?.schema);
  // Both were checked against schemas that, by their types, cover all fields.
  return {
    model: { provider: model.provider, id: model.id },
    context: clean as unknown as Context,
    options: pick(options, OPTIONS) as SimpleStreamOptions,
  };
}

/** The most fields that the schemas of a request may have. The largest schema that a vendor documents has 5,000 (OpenAI, 2026-11). */
const MAX_SCHEMA_FIELDS = 50_000;

/** Returns whether a schema has more fields than are left for it. Each is work for each rule of the vendor. */
function createFieldCheck(): (schema: unknown) => boolean {
  let left = MAX_SCHEMA_FIELDS;
  const isTooMuch = (part: unknown): boolean =>
    typeof part === "object" &&
    part !== null &&
    Object.keys(part).some((name) => left-- === 0 || isTooMuch(Reflect.get(part, name)));
  return isTooMuch;
}

/** Those of tools that are not strict are sent without the rules of a strict one. */
function checkSchemas(tools: readonly Tool[], output: object | undefined): void {
  const isTooMuch = createFieldCheck();
  if (tools.some(({ parameters }) => isTooMuch(parameters)))
    throw new Problem(400, `context.tools: their schemas have more than ${MAX_SCHEMA_FIELDS} fields`);
  const budget = new SchemaBudget();
  const refuse = (path: string, fault: string | undefined): void => {
    if (fault !== undefined) throw new Problem(400, `${path}: the schema cannot be used: ${fault}`);
  };
  const most = `it has more than ${MAX_SCHEMA_FIELDS} fields`;
  if (output) refuse("options.outputFormat.schema", isTooMuch(output) ? most : budget.take(output));
  for (const [index, { strict, parameters }] of tools.entries())
    if (strict) refuse(`context.tools.${index}.parameters`, budget.take(parameters));
}

/** The fields that a table of schemas names; a client may have sent others. */
function pick(source: object, schemas: Readonly<Record<string, TSchema>>): Record<string, unknown> {
  const names = Object.keys(schemas).filter((name) => Object.hasOwn(source, name));
  return Object.fromEntries(names.map((name) => [name, Reflect.get(source, name)]));
}

function oneOf(schemas: Readonly<Record<string, Readonly<Record<string, TSchema>>>>): TSchema {
  return Type.Union(Object.values(schemas).map((fields) => Type.Object(fields)));
}

function check<TShape extends TSchema>(schema: TShape, value: unknown, path: string): asserts value is Static<TShape> {
  if (Check(schema, value)) return;
  const fault = Errors(schema, value).First();
  const place = toPath(`${path}${fault?.path ?? ""}`);
  const message = fault?.message ?? "is not valid";
  throw new Problem(400, `${place || "body"}: ${message.charAt(0).toLowerCase()}${message.slice(1)}`);
}

function toPath(pointer: string): string {
  return pointer.split("/").slice(1).join(".").slice(0, 200);
}
