/** The schema of a tool in a client's request. */
import { type TSchema, Type } from "@sinclair/typebox";
import type { Tool } from "../types/context.js";
import type { ServerToolRequest } from "../types/server-tool.js";

/** A schema for each field of a type: a new field, block or option fails to compile instead of arriving unchecked. */
export type FieldSchemas<T> = { [TName in keyof T]-?: TSchema };

export const CACHE: TSchema = Type.Optional(Type.Union([Type.Literal("short"), Type.Literal("long")]));
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
  declared: {
    kind: Type.Literal("declared"),
    api: Type.String(),
    declaration: anyObject,
    betas: Type.Optional(texts),
  },
};

export const TOOL: FieldSchemas<Tool> = {
  name: Type.String({ minLength: 1 }),
  description: Type.String(),
  parameters: anyObject,
  strict: Type.Optional(Type.Union([Type.Literal("prefer"), Type.Literal("require"), Type.Literal(false)])),
  once: Type.Optional(Type.Boolean()),
  cache: CACHE,
  server: Type.Optional(Type.Union(Object.values(SERVER_TOOLS).map((fields) => Type.Object(fields)))),
};
