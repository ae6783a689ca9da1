/** Adds the fields of tools that few apis have to a request that is built, and notes those that it cannot have. */
import { hasToolSearch } from "../../catalogue/compat/index.js";
import { ConfigError, cutText } from "../../errors.js";
import type { RequestNote, WireRequest } from "../../transport/index.js";
import type { Tool } from "../../types/context.js";
import type { Model } from "../../types/model.js";
import { isRecord } from "../../utils/is-object.js";
import { ownValue } from "../../utils/own-value.js";
import { MAX_TOLD, MAX_TOLD_NAME } from "./tool-names.js";

type Fields = Record<string, unknown>;
type FieldName = "namespace" | "callers" | "output";

/** A tool in a request. */
interface Place {
  model: Model;
  /** The types of all tools of the request, those of the provider included. */
  types: readonly string[];
  /** The tool as it is sent so far. */
  wire: Fields;
}

/** How an api writes the fields; undefined where this request cannot have one. */
interface Row {
  callers?(tool: Tool, place: Place): Fields | undefined;
  output?(tool: Tool, place: Place): Fields | undefined;
  groups?(model: Model): boolean;
}

const toCallers = ({ callers = [] }: Tool, words: Readonly<Record<"model" | "code", string>>): Fields => ({
  allowed_callers: Array.from(new Set(callers), (caller) => words[caller]),
});

/** openai SDK 7.59, `FunctionTool` and `NamespaceTool`; developers.openai.com, "Programmatic Tool Calling"; 2026-11. */
const RESPONSES: Row = {
  callers: (tool, { types }) =>
    types.includes("programmatic_tool_calling")
      ? toCallers(tool, { model: "direct", code: "programmatic" })
      : undefined,
  output: ({ output }, { model }) => (hasToolSearch(model) ? { output_schema: output } : undefined),
  groups: hasToolSearch,
};

const ROWS: Readonly<Record<string, Row>> = {
  // platform.claude.com, "Programmatic tool calling": not for strict tools; @anthropic-ai/sdk 1.14, `Tool`; 2026-11.
  "anthropic-messages": {
    callers: (tool, { types, wire }) => {
      const code = types.find((type) => /^code_execution_(?!20250522)/.test(type));
      return code && wire["strict"] !== true ? toCallers(tool, { model: "direct", code }) : undefined;
    },
  },
  "openai-responses": RESPONSES,
  "azure-openai-responses": RESPONSES,
  "openai-codex-responses": RESPONSES,
  // @google/genai 3.3, `FunctionDeclaration`: JSON Schema beside `parametersJsonSchema`, 2026-11.
  "google-generative-ai": {
    output: ({ output }, { wire }) => ("parametersJsonSchema" in wire ? { responseJsonSchema: output } : undefined),
  },
};

const NAMESPACE = /^[a-zA-Z0-9_-]{1,64}$/;
const isCaller = (caller: unknown): boolean => caller === "model" || caller === "code";

/** The forms of fields, with their words: JavaScript callers may pass anything. */
const FORMS: readonly [FieldName, (value: unknown) => boolean, string][] = [
  [
    "namespace",
    (value) => NAMESPACE.test(String(isRecord(value) ? value["name"] : value)),
    "a name of up to 64 letters, digits, _ and -",
  ],
  [
    "callers",
    (value) => Array.isArray(value) && value.length > 0 && value.every(isCaller),
    'a list of "model" and "code"',
  ],
  ["output", isRecord, "a JSON Schema"],
];

/** @throws ConfigError if a field has a wrong form */
export function addToolFields(built: WireRequest, model: Model, tools: readonly Tool[]): WireRequest {
  const own = tools.filter(({ server }) => !server);
  for (const tool of own) checkForms(tool);
  const row = ownValue(ROWS, model.api) ?? {};
  const body = isRecord(built.body) ? built.body : {};
  const declared: readonly unknown[] = Array.isArray(body["tools"]) ? body["tools"] : [];
  const types = declared.flatMap((tool) => (isRecord(tool) ? [String(tool["type"])] : []));
  const omitted = new Map<FieldName, string[]>();
  const more = new Map(
    own.map((tool) => {
      const place = { model, types, wire: findTool(declared, tool.name) };
      const omit = (field: FieldName): Fields => {
        omitted.set(field, [...(omitted.get(field) ?? []), tool.name]);
        return {};
      };
      if (tool.namespace && !row.groups?.(model)) omit("namespace");
      const callers = tool.callers?.includes("code") ? (row.callers?.(tool, place) ?? omit("callers")) : {};
      const output = tool.output ? (row.output?.(tool, place) ?? omit("output")) : {};
      return [tool.name, { ...callers, ...output }] as const;
    }),
  );
  const filled = declared.map((wire) => fill(wire, more));
  const sent = row.groups?.(model) ? group(filled, own) : filled;
  const notes = noteOmitted(omitted);
  return {
    ...built,
    ...(declared.length > 0 && { body: { ...body, tools: sent } }),
    ...(notes.length > 0 && { notes: [...(built.notes ?? []), ...notes] }),
  };
}

function checkForms(tool: Tool): void {
  for (const [field, fits, form] of FORMS)
    if (tool[field] !== undefined && !fits(tool[field]))
      throw new ConfigError(`The ${field} of the tool ${tool.name} must be ${form}.`);
}

const isOwn = ({ type = "function" }: Fields): boolean => type === "function" || type === "custom";

/** The tool among those of a request, which Gemini has in one list of declarations. */
function findTool(declared: readonly unknown[], name: string): Fields {
  for (const tool of declared) {
    if (!isRecord(tool)) continue;
    if (tool["name"] === name && isOwn(tool)) return tool;
    const { functionDeclarations: list } = tool;
    const found: unknown = Array.isArray(list) ? list.find((one) => isRecord(one) && one["name"] === name) : undefined;
    if (isRecord(found)) return found;
  }
  return {};
}

function fill(wire: unknown, more: ReadonlyMap<unknown, Fields>): unknown {
  if (!isRecord(wire)) return wire;
  const { functionDeclarations: list } = wire;
  if (Array.isArray(list)) return { ...wire, functionDeclarations: list.map((tool) => fill(tool, more)) };
  return isOwn(wire) ? { ...wire, ...more.get(wire["name"]) } : wire;
}

/** Each namespace stands where its first tool stood. */
function group(filled: readonly unknown[], own: readonly Tool[]): unknown[] {
  const spaces = new Map(
    own.flatMap(({ name, namespace }) => (namespace ? [[name as unknown, namespace] as const] : [])),
  );
  const groups = new Map<string, Fields & { description: string; tools: unknown[] }>();
  return filled.flatMap((wire): unknown[] => {
    const space = isRecord(wire) && isOwn(wire) ? spaces.get(wire["name"]) : undefined;
    if (!space || !isRecord(wire)) return [wire];
    const { name, description = `The tools of ${name}.` } = typeof space === "string" ? { name: space } : space;
    const known = groups.get(name);
    if (known) {
      known.tools.push(wire);
      return [];
    }
    const first = { type: "namespace", name, description, tools: [wire] };
    groups.set(name, first);
    return [first];
  });
}

function noteOmitted(omitted: ReadonlyMap<FieldName, readonly string[]>): RequestNote[] {
  const notes: RequestNote[] = [];
  for (const [field, names] of omitted) {
    const tools = names.slice(0, MAX_TOLD).map((name) => cutText(name, MAX_TOLD_NAME));
    notes.push({ type: "tool_field_omitted", details: { field, tools, count: names.length } });
  }
  return notes;
}
