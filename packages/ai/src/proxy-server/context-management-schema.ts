/** The schema of the option `contextManagement` in a client's request. */
import { type TSchema, Type } from "@sinclair/typebox";
import type {
  ClearThinking,
  ClearToolResults,
  ContextManagement,
  ServerCompaction,
} from "../types/context-management.js";
import type { FieldSchemas } from "./tool-schema.js";

export const BUDGET: TSchema = Type.Optional(Type.Integer({ minimum: 0 }));
const TOKENS: TSchema = Type.Optional(Type.Integer({ minimum: 1 }));
export const CONTEXT_MANAGEMENT: FieldSchemas<ContextManagement> = {
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
