/** Checks the option `contextManagement` of JavaScript callers, and of settings that were read from a file. */
import { ConfigError } from "../../errors.js";
import type { ContextManagement } from "../../types/context-management.js";
import { isRecord } from "../../utils/is-object.js";
import { nameValue } from "../../utils/name-value.js";
import type { Feature, OptionsOf } from "./management-rows.js";

/** The check of a value, and its words. The range of a number depends on the provider. */
type Rule = readonly [expected: string, test: (value: unknown) => boolean];

const NUMBER: Rule = ["a number", (value) => typeof value === "number"];
const FLAG: Rule = ["true or false", (value) => typeof value === "boolean"];

/** The options of every feature. A new one does not compile until it is listed here. */
const OPTIONS: {
  readonly [TFeature in Feature]: { readonly [TOption in keyof Required<OptionsOf<TFeature>>]: Rule };
} = {
  compact: {
    atTokens: NUMBER,
    prompt: ["a text", (value) => typeof value === "string" && value.trim() !== ""],
    pause: FLAG,
  },
  clearToolResults: {
    atTokens: NUMBER,
    keep: NUMBER,
    exclude: ["a list of names", (value) => Array.isArray(value) && value.every((name) => typeof name === "string")],
  },
  clearThinking: { keep: ['a number or "all"', (value) => typeof value === "number" || value === "all"] },
};

/** The features, by name. */
export const FEATURES: readonly Feature[] = Object.keys(OPTIONS) as Feature[]; // no other keys compile

/** @throws ConfigError for an unknown feature or option, and for a value of another type */
export function checkManagement(management: ContextManagement): void {
  const place = "contextManagement";
  checkNames(place, management, FEATURES);
  for (const name of FEATURES) {
    const wanted: unknown = management[name];
    if (wanted === undefined || wanted === null || typeof wanted === "boolean") continue;
    const rules: Readonly<Record<string, Rule>> = OPTIONS[name];
    for (const [option, value] of checkNames(`${place}.${name}`, wanted, Object.keys(rules))) {
      const [expected, test] = rules[option] ?? FLAG;
      if (value !== undefined && !test(value))
        throw new ConfigError(`${place}.${name}.${option} must be ${expected}, got ${nameValue(value)}`);
    }
  }
}

function checkNames(place: string, value: unknown, known: readonly string[]): [string, unknown][] {
  if (!isRecord(value)) throw new ConfigError(`${place} must be an object with options, got ${nameValue(value)}`);
  const entries = Object.entries(value);
  for (const [name] of entries)
    if (!known.includes(name))
      throw new ConfigError(`${place} has no option ${nameValue(name)}. Its options are ${known.join(", ")}.`);
  return entries;
}
