/** Schemas for classification. */
import { ConfigError } from "../errors.js";
import { isRecord } from "../utils/is-object.js";

/** A schema for one of several values. */
export interface EnumSchema<TValue extends string | number> {
  /** The values. */
  readonly enum: readonly TValue[];
  /** Their types. */
  readonly type: readonly ("string" | "number")[];
}

/** A schema for one of several labels, each with a description. */
export interface ChoiceSchema<TLabel extends string> {
  /** One schema for each label. */
  readonly anyOf: readonly { readonly const: TLabel; readonly type: "string"; readonly description: string }[];
}

/**
 * A schema whose value is one of the given values.
 *
 * @example
 * const { object } = await completeObject(model, text, { schema: enumOf(["positive", "neutral", "negative"]) });
 */
export function enumOf<const TValue extends string | number>(values: readonly TValue[]): EnumSchema<TValue> {
  if (!Array.isArray(values)) throw new ConfigError('enumOf needs a list of values, such as enumOf(["low", "high"])');
  const types = (["string", "number"] as const).filter((type) => values.some((value) => typeof value === type));
  return { type: types, enum: values };
}

/**
 * A schema whose value is one of the labels. The model reads the descriptions.
 *
 * @example
 * const schema = choice({ bug: "Something does not work as documented", idea: "A request for a new feature" });
 * const { object } = await completeObject(model, issue, { schema }); // "bug" or "idea"
 */
export function choice<const TLabel extends string>(labels: Readonly<Record<TLabel, string>>): ChoiceSchema<TLabel> {
  if (!isRecord(labels))
    throw new ConfigError(
      'choice needs labels with descriptions, such as { bug: "It fails" }. For a list, write enumOf(list)',
    );
  // Object.entries widens the keys.
  const entries = Object.entries(labels) as [TLabel, string][];
  if (entries.length === 0) throw new ConfigError("choice needs at least one label");
  return { anyOf: entries.map(([label, description]) => ({ type: "string", const: label, description })) };
}
