/** Form fields for the properties of a JSON Schema: texts, numbers, choices, switches, and JSON for the rest. */
import { element } from "./element.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface FieldList {
  nodes: readonly HTMLElement[];
  /** The values of the fields that are not empty. Undefined if one does not hold what it should; the form says so. */
  read(): Record<string, unknown> | undefined;
}

/** A field that a person changes, and what it holds. Undefined stands for nothing. */
interface Field {
  node: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
  read(): unknown;
}

/** @param values what the fields hold at first */
export function createFields(schema: unknown, values: Fields): FieldList {
  const { properties, required } = toFields(schema);
  const schemas = new Map(Object.entries(toFields(properties)));
  const names = new Set([...schemas.keys(), ...Object.keys(values)]);
  const needed = new Set(Array.isArray(required) ? required : []);
  const fields = [...names].map((name) => {
    const given = Object.hasOwn(values, name) ? values[name] : undefined;
    const field = createField(toFields(schemas.get(name)), given, needed.has(name));
    if (needed.has(name) && !isSwitch(field.node)) field.node.required = true;
    const { description } = toFields(schemas.get(name));
    if (typeof description === "string") field.node.title = description;
    return { name, field };
  });
  return {
    nodes: fields.map(({ name, field }) => element("label", isSwitch(field.node) ? "switch" : "", [name, field.node])),
    read: () => {
      const read = fields.map(({ name, field }) => [name, field.read()] as const);
      if (!fields.every(({ field }) => field.node.reportValidity())) return undefined;
      return Object.fromEntries(read.filter(([, value]) => value !== undefined));
    },
  };
}

function createField(schema: Fields, value: unknown, isNeeded: boolean): Field {
  const { type } = schema;
  const choices = choicesOf(schema);
  if (choices.length > 0) return createChoice(isNeeded ? choices : [undefined, ...choices], value);
  if (type === "boolean" || typeof value === "boolean") return createSwitch(value, isNeeded);
  if (type === "number" || type === "integer") return createNumber(schema, value);
  if (type === "string" || typeof value === "string") return createText(schema, value);
  return createJson(value);
}

/** The values of `enum`, and those of `const` in a list of schemas. */
function choicesOf(schema: Fields): unknown[] {
  const { enum: values, anyOf } = schema;
  if (Array.isArray(values)) return values;
  const constants = Array.isArray(anyOf) ? anyOf.map((one) => toFields(one)) : [];
  return constants.every((one) => "const" in one) ? constants.map((one) => one["const"]) : [];
}

function createChoice(choices: readonly unknown[], value: unknown): Field {
  const node = document.createElement("select");
  for (const choice of choices) node.append(new Option(choice === undefined ? "" : textOf(choice)));
  node.selectedIndex = Math.max(0, choices.indexOf(value));
  return { node, read: () => choices[node.selectedIndex] };
}

function createSwitch(value: unknown, isNeeded: boolean): Field {
  const node = document.createElement("input");
  node.type = "checkbox";
  node.checked = value === true;
  return { node, read: () => (node.checked || value !== undefined || isNeeded ? node.checked : undefined) };
}

function createNumber({ type, minimum, maximum }: Fields, value: unknown): Field {
  const node = document.createElement("input");
  node.type = "number";
  node.step = type === "integer" ? "1" : "any";
  if (typeof minimum === "number") node.min = String(minimum);
  if (typeof maximum === "number") node.max = String(maximum);
  node.value = value === undefined ? "" : textOf(value);
  return { node, read: () => (node.value === "" ? undefined : node.valueAsNumber) };
}

function createText({ maxLength }: Fields, value: unknown): Field {
  const text = value === undefined ? "" : textOf(value);
  const node = document.createElement(text.length > 60 ? "textarea" : "input");
  node.value = text;
  if (typeof maxLength === "number") node.maxLength = maxLength;
  return { node, read: () => (node.value === "" && text === "" ? undefined : node.value) };
}

function createJson(value: unknown): Field {
  const node = document.createElement("textarea");
  node.value = value === undefined ? "" : JSON.stringify(value, undefined, 2);
  return {
    node,
    read: () => {
      node.setCustomValidity("");
      if (node.value === "") return undefined;
      try {
        return JSON.parse(node.value);
      } catch {
        node.setCustomValidity("This is not JSON.");
        return undefined;
      }
    },
  };
}

function isSwitch(node: Field["node"]): boolean {
  return node instanceof HTMLInputElement && node.type === "checkbox";
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

function toFields(value: unknown): Fields {
  // Any object has names and values.
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
