/** Finds the faults of a model that comes from outside the library: from a company's own list, or a refreshed catalogue. */
import { findCostFault } from "../utils/cost-fault.js";
import { COUNT, DAY, fieldFault, findFault, type Rule } from "../utils/field-fault.js";
import { isRecord } from "../utils/is-object.js";
import { visibleLine } from "../utils/visible-text.js";

/** The first fault of a model, with the field's name, such as `cost.input must be a number of 0 or more, not "3"`. */
export function findModelFault(model: unknown): string | undefined {
  if (!isRecord(model)) return fieldFault("the model", "an object", model);
  return (
    findFault("", model, MODEL_FIELDS) ??
    findCostFault(model["cost"]) ??
    findFault("lifecycle.", model["lifecycle"] ?? {}, LIFECYCLE_FIELDS) ??
    findFault("", model, SHOWN_FIELDS)
  );
}

const TEXT: Rule = ["a non-empty string", (value) => typeof value === "string" && value.trim() !== ""];
const OBJECT: Rule = ["an object", isRecord];

const STATUSES: ReadonlySet<unknown> = new Set(["active", "deprecated", "retired"]);
const MODEL_FIELDS: Readonly<Record<string, Rule>> = {
  id: TEXT,
  name: TEXT,
  api: TEXT,
  provider: TEXT,
  // May be empty: for Azure the address comes from the options or the environment.
  baseUrl: ["a string", (value) => typeof value === "string"],
  reasoning: ["true or false", (value) => typeof value === "boolean"],
  input: ['a list of "text" and "image"', isInputList],
  cost: OBJECT,
  contextWindow: COUNT,
  maxTokens: COUNT,
  thinkingLevelMap: optional(["an object of strings and nulls", (value) => isRecordOf(value, isTextOrNull)]),
  lifecycle: optional(OBJECT),
  headers: optional(["an object of strings", (value) => isRecordOf(value, (item) => typeof item === "string")]),
  compat: optional(OBJECT),
};

/** Names are shown, also in terminals, and hidden characters would let one model pass for another. */
const LINE: Rule = ["a line without hidden characters", (value) => visibleLine(String(value)) === value];
const SHOWN_FIELDS: Readonly<Record<string, Rule>> = { id: LINE, name: LINE, provider: LINE };

const LIFECYCLE_FIELDS: Readonly<Record<string, Rule>> = {
  status: optional(['"active", "deprecated" or "retired"', (value) => STATUSES.has(value)]),
  endsAt: optional(DAY),
  replacement: optional(TEXT),
};

function optional([expected, test]: Rule): Rule {
  return [expected, (value) => value === undefined || test(value)];
}

function isRecordOf(value: unknown, test: (item: unknown) => boolean): boolean {
  return isRecord(value) && Object.values(value).every(test);
}

function isListOf(value: unknown, test: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(test);
}

const INPUTS: ReadonlySet<unknown> = new Set(["text", "image", "pdf", "audio", "video"]);

/** Other kinds come beside one of these two. */
function isInputList(value: unknown): boolean {
  return isListOf(value, (kind) => INPUTS.has(kind)) && Array.isArray(value) && value.some(isMainInput);
}

function isMainInput(kind: unknown): boolean {
  return kind === "text" || kind === "image";
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === "string";
}
