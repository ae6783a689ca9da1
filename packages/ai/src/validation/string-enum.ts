/** A choice of strings, in the form that every provider accepts. */
import { type TUnsafe, Type } from "@sinclair/typebox";

/**
 * A schema `{ type: "string", enum: [...] }`. TypeBox's own union of literals becomes `anyOf` with `const`, which Google
 * refuses.
 *
 * @example
 * const Color = StringEnum(["red", "green"], { description: "Of the line", default: "red" });
 * type Color = Static<typeof Color>; // "red" | "green"
 */
export function StringEnum<const TValues extends readonly string[]>(
  values: TValues,
  options: { description?: string; default?: TValues[number] } = {},
): TUnsafe<TValues[number]> {
  const { description, default: fallback } = options;
  return Type.Unsafe<TValues[number]>({
    type: "string",
    enum: [...values],
    ...(description === undefined ? {} : { description }),
    ...(fallback === undefined ? {} : { default: fallback }),
  });
}
