/** A choice of strings, in a form that every provider accepts. */
import { type Kind, Type } from "@sinclair/typebox";

/**
 * The schema of {@link StringEnum}. `Static` of TypeBox 0.34 and of TypeBox 1 both infer the strings. An object type
 * instead of an interface, because TypeBox 0.34's interface has an index signature, which TypeBox 1 takes for every
 * kind of schema.
 */
export type StringEnumSchema<TValue extends string> = {
  type: "string";
  enum: TValue[];
  description?: string;
  default?: TValue;
  /** For the compiler only, like the next three. */
  [Kind]: "Unsafe";
  static: TValue;
  params: unknown[];
  "~unsafe": TValue;
};

/**
 * Creates the schema `{ type: "string", enum: [...] }`. TypeBox's own union of literals becomes `anyOf` with `const`,
 * which Google rejects.
 *
 * @example
 * const Color = StringEnum(["red", "green"], { description: "Of the line", default: "red" });
 * type Color = Static<typeof Color>; // "red" | "green"
 */
export function StringEnum<const TValues extends readonly string[]>(
  values: TValues,
  options: { description?: string; default?: TValues[number] } = {},
): StringEnumSchema<TValues[number]> {
  const { description, default: fallback } = options;
  const schema: unknown = Type.Unsafe({
    type: "string",
    enum: [...values],
    ...(description === undefined ? {} : { description }),
    ...(fallback === undefined ? {} : { default: fallback }),
  });
  // The schema created above. The other properties of the type exist for the compiler only.
  return schema as StringEnumSchema<TValues[number]>;
}
