/** Infers the type of a tool's arguments from the type of its parameters. */
import type { Kind, OptionalKind } from "@sinclair/typebox";
import type { StandardOutput, StandardSchema } from "./standard-schema.js";

/**
 * The arguments that fit a schema: a TypeBox schema, a schema of a Standard Schema library (its `~standard` carries the
 * type), or a literal of JSON Schema (`as const`). `unknown` if the schema's type says nothing.
 *
 * TypeBox's own `Static` infers the same types at five times the compile time. The unusual style here (no `as` in
 * mapped types, almost no `infer`, keys picked one by one) keeps it cheap: see `npm run task size:types`.
 */
export type ToolArguments<TParameters> = TParameters extends TypeBoxParameters
  ? TypeBoxFields<TParameters["properties"]>
  : TParameters extends JsonParameters
    ? JsonFields<TParameters["properties"], TParameters extends JsonRequired ? TParameters["required"][number] : never>
    : OtherArguments<TParameters>;

/** A separate type, so that it costs nothing for common parameters. `any` takes every branch and ends here. */
type OtherArguments<TParameters> = unknown extends TParameters
  ? // biome-ignore lint/suspicious/noExplicitAny: lists hold tools of any parameters.
    any
  : TParameters extends TypeBoxSchema
    ? TypeBoxValue<TParameters>
    : TParameters extends StandardSchema
      ? StandardOutput<TParameters>
      : TParameters extends TypeBoxStatic
        ? TParameters["static"]
        : JsonValue<TParameters>;

interface TypeBoxParameters extends TypeBoxObject {
  [Kind]: "Object";
}

/**
 * Matches schemas of the TypeBox version that these types import. Another version in the same program marks its schemas
 * differently.
 */
interface TypeBoxSchema {
  [Kind]: string;
}

interface TypeBoxObject {
  type: "object";
  properties: Fields;
}

/** Not a tuple: its `items` is a list. */
interface TypeBoxArray {
  type: "array";
  items: TypeBoxSchema;
}

interface TypeBoxLiterals {
  anyOf: readonly { const: unknown }[];
}

interface TypeBoxUnion {
  anyOf: readonly unknown[];
}

interface TypeBoxStatic {
  static: unknown;
}

interface TypeBoxOptional {
  [OptionalKind]: string;
}

type TypeBoxValue<TSchema> = TSchema extends TypeBoxObject
  ? TypeBoxFields<TSchema["properties"]>
  : TSchema extends TypeBoxArray
    ? TypeBoxValue<TSchema["items"]>[]
    : TSchema extends TypeBoxLiterals
      ? TSchema["anyOf"][number]["const"]
      : TSchema extends TypeBoxUnion
        ? TypeBoxValue<TSchema["anyOf"][number]>
        : TSchema extends TypeBoxStatic
          ? TSchema["static"]
          : never;

type Fields = Record<PropertyKey, unknown>;

type TypeBoxFields<TProperties extends Fields> = MarkedFields<
  TProperties,
  OptionalMarks<OptionalKeys<TProperties, keyof TProperties>>,
  keyof TProperties
>;

/** TypeBox marks an optional property on the property's schema. */
type OptionalKeys<TProperties, TKey extends keyof TProperties> = TKey extends unknown
  ? TProperties[TKey] extends TypeBoxOptional
    ? TKey
    : never
  : never;

/** An optional property for each key; other keys are allowed too. */
type OptionalMarks<TKey extends PropertyKey> = { [TName in TKey]?: unknown } & AnyKey;

interface AnyKey {
  [key: string]: unknown;
  [key: symbol]: unknown;
}

/**
 * Makes properties optional that are optional in the marks: a mapped type over the keys of a type keeps their
 * modifiers.
 */
type MarkedFields<TProperties extends Fields, TMarks, TKeys extends keyof TMarks> = {
  [TKey in TKeys]: TypeBoxValue<TProperties[TKey]>;
};

interface JsonTypes {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  null: null;
}

interface JsonSimple {
  readonly type: keyof JsonTypes;
  readonly enum?: never;
  readonly const?: never;
}

interface JsonConst {
  readonly const: unknown;
}

interface JsonEnum {
  readonly enum: readonly unknown[];
}

interface JsonAnyOf {
  readonly anyOf: readonly unknown[];
}

interface JsonOneOf {
  readonly oneOf: readonly unknown[];
}

interface JsonObject {
  readonly type: "object";
  readonly properties: Fields;
}

/** Not a schema that another library has marked as its own. */
interface JsonParameters extends JsonObject {
  readonly static?: never;
  readonly "~standard"?: never;
}

interface JsonRequired {
  readonly required: readonly unknown[];
}

interface JsonArray {
  readonly type: "array";
  readonly items: object;
}

/** The value that a literal of JSON Schema describes, for the most common keywords. */
type JsonValue<TLiteral> = TLiteral extends JsonSimple ? JsonTypes[TLiteral["type"]] : JsonParts<TLiteral>;

type JsonParts<TLiteral> = TLiteral extends JsonObject
  ? JsonFields<TLiteral["properties"], TLiteral extends JsonRequired ? TLiteral["required"][number] : never>
  : TLiteral extends JsonArray
    ? JsonValue<TLiteral["items"]>[]
    : TLiteral extends JsonEnum
      ? TLiteral["enum"][number]
      : TLiteral extends JsonConst
        ? TLiteral["const"]
        : TLiteral extends JsonAnyOf
          ? JsonValue<TLiteral["anyOf"][number]>
          : TLiteral extends JsonOneOf
            ? JsonValue<TLiteral["oneOf"][number]>
            : TLiteral extends { readonly type: "object" }
              ? Record<string, unknown>
              : TLiteral extends { readonly type: "array" }
                ? unknown[]
                : unknown;

/** JSON Schema lists the required properties. */
type JsonFields<TProperties extends Fields, TRequired> = MarkedJsonFields<
  TProperties,
  OptionalMarks<Exclude<keyof TProperties, TRequired>>,
  keyof TProperties
>;

type MarkedJsonFields<TProperties extends Fields, TMarks, TKeys extends keyof TMarks> = {
  [TKey in TKeys]: JsonValue<TProperties[TKey]>;
};
