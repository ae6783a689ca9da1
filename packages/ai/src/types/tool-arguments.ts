/** What a tool is given, read from the type of its parameters. */
import type { OptionalKind } from "@sinclair/typebox";

/**
 * The arguments that fit a schema: one of TypeBox, one that a Standard Schema library made (its `~standard` tells the
 * type), or a literal of JSON Schema (`as const`). Where a schema's type tells nothing, `unknown`.
 *
 * TypeBox's own `Static` says the same of its schemas, at three times the cost for the compiler.
 */
export type ToolArguments<TParameters> = unknown extends TParameters
  ? // biome-ignore lint/suspicious/noExplicitAny: lists hold tools of any parameters.
    any
  : TParameters extends { static: infer TStatic }
    ? TParameters extends { properties: infer TProperties }
      ? OptionalByKind<TProperties>
      : TStatic
    : TParameters extends { readonly "~standard": { readonly types?: { readonly input: infer TInput } | undefined } }
      ? TInput
      : JsonValue<TParameters>;

/** TypeBox marks what is optional on the schema of the property. */
type OptionalByKind<TProperties> = {
  [TKey in keyof TProperties as TProperties[TKey] extends { [OptionalKind]: string } ? never : TKey]: ToolArguments<
    TProperties[TKey]
  >;
} & {
  [TKey in keyof TProperties as TProperties[TKey] extends { [OptionalKind]: string } ? TKey : never]?: ToolArguments<
    TProperties[TKey]
  >;
};

interface JsonTypes {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  null: null;
}

/** The value that a literal of JSON Schema describes, as far as its commonest words go. */
type JsonValue<TLiteral> = TLiteral extends { readonly const: infer TValue }
  ? TValue
  : TLiteral extends { readonly enum: readonly (infer TValue)[] }
    ? TValue
    : TLiteral extends { readonly anyOf: readonly (infer TMember)[] }
      ? JsonValue<TMember>
      : TLiteral extends { readonly type: "object"; readonly properties: infer TProperties }
        ? RequiredByName<TProperties, TLiteral extends { readonly required: readonly (infer TName)[] } ? TName : never>
        : TLiteral extends { readonly type: "array"; readonly items: infer TItem }
          ? JsonValue<TItem>[]
          : TLiteral extends { readonly type: infer TName extends keyof JsonTypes }
            ? JsonTypes[TName]
            : unknown;

/** JSON Schema lists what is required. */
type RequiredByName<TProperties, TRequired> = {
  -readonly [TKey in keyof TProperties as TKey extends TRequired ? TKey : never]: JsonValue<TProperties[TKey]>;
} & {
  -readonly [TKey in keyof TProperties as TKey extends TRequired ? never : TKey]?: JsonValue<TProperties[TKey]>;
};
