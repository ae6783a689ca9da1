/** What rules of several vendors look for. */
import { isObjectText } from "../validators/faults.js";
import { type PictureFacts, pictureFacts } from "./picture-facts.js";
import type { CallView, PartView, RequestView, ToolView } from "./request-view.js";
import type { Finding } from "./rule.js";
import { contextOf, hasType, type SchemaNode, schemaNodes } from "./schema-walk.js";

export type Find = (request: RequestView) => Finding | undefined;

/** The first item of a list that a rule refuses. */
function firstOf<TItem>(items: readonly TItem[], refuse: (item: TItem) => Finding | undefined): Finding | undefined {
  for (const item of items) {
    const finding = refuse(item);
    if (finding) return finding;
  }
  return undefined;
}

/** A field of the body that the request has. */
export function field(name: string, refused: (value: unknown, request: RequestView) => boolean = () => true): Find {
  return (request) => {
    const value = request.body[name];
    return value !== undefined && refused(value, request) ? { at: name, value: String(value) } : undefined;
  };
}

/** A text that is not well-formed Unicode, in a value or a name, anywhere in the body. */
export function halfPair({ body }: RequestView): Finding | undefined {
  const walk = (value: unknown, at: string): Finding | undefined => {
    if (typeof value === "string") return value.isWellFormed() ? undefined : { at };
    if (typeof value !== "object" || value === null) return undefined;
    return firstOf(Object.entries(value), ([name, inner]) =>
      name.isWellFormed() ? walk(inner, `${at}.${name}`) : { at: `${at}.${name.toWellFormed()}` },
    );
  };
  return walk(body, "body");
}

export function toolName(pattern: RegExp): Find {
  return ({ tools }) =>
    firstOf(tools, ({ name, nameAt }) =>
      typeof name === "string" && pattern.test(name) ? undefined : { at: nameAt, name: String(name) },
    );
}

export function callName(pattern: RegExp): Find {
  return ({ calls }) =>
    firstOf(calls, ({ name, nameAt }) =>
      typeof name === "string" && pattern.test(name) ? undefined : { at: nameAt, name: String(name) },
    );
}

export function callId(pattern: RegExp): Find {
  return ({ calls }) =>
    firstOf(calls, ({ id, idAt }) =>
      typeof id === "string" && pattern.test(id) ? undefined : { at: idAt, id: String(id), length: String(id).length },
    );
}

export function sameToolName({ tools }: RequestView): Finding | undefined {
  const seen = new Set<unknown>();
  return firstOf(tools, ({ name, nameAt }) => {
    if (seen.has(name)) return { at: nameAt, name: String(name) };
    seen.add(name);
    return undefined;
  });
}

/** @param within `turn` for apis that need unique ids in one message only */
export function sameCallId(within: "turn" | "request"): Find {
  return ({ calls }) => {
    const seen = new Set<string>();
    return firstOf(calls, ({ id, turn, at }) => {
      const key = within === "turn" ? `${turn} ${String(id)}` : String(id);
      if (seen.has(key)) return { at, id: String(id), turn };
      seen.add(key);
      return undefined;
    });
  };
}

export function tooManyTools(most: number): Find {
  return ({ tools }) => (tools.length > most ? { at: "tools", count: tools.length } : undefined);
}

export function longDescription(most: number): Find {
  return ({ tools }) =>
    firstOf(tools, ({ description, at }) =>
      typeof description === "string" && description.length > most
        ? { at: `${at}.description`, length: description.length }
        : undefined,
    );
}

/** The first tool whose schema is refused. */
export function schema(refused: (tool: ToolView) => Partial<Finding> | undefined): Find {
  return ({ tools }) =>
    firstOf(tools, (tool) => {
      const found = refused(tool);
      return found && { at: tool.schemaAt, name: String(tool.name), ...withoutUndefined(found) };
    });
}

/** A schema at any depth. */
export function schemaNode(refused: (node: SchemaNode, tool: ToolView) => boolean): Find {
  return schema((tool) => {
    const node = schemaNodes(tool.schema).find((each) => refused(each, tool));
    return node && { context: contextOf(node.path), path: node.path.join(".") || "root" };
  });
}

export function schemaTop(...keywords: readonly string[]): Find {
  return schema(({ schema: root }) => {
    const keyword =
      schemaNodes(root)[0] && keywords.find((name) => Object.hasOwn(schemaNodes(root)[0]?.schema ?? {}, name));
    return keyword === undefined ? undefined : { keyword };
  });
}

export function notAnObject({ schema: root }: ToolView): Partial<Finding> | undefined {
  const top = schemaNodes(root)[0]?.schema;
  return top?.["type"] === "object" ? undefined : { type: JSON.stringify(top?.["type"] ?? null) };
}

const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"];

/** A keyword whose value JSON Schema does not allow (draft 2020-12), with its value. */
export function malformedKeyword({ schema: node }: SchemaNode): string | undefined {
  const strings = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === "string");
  const isMap = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
  const isSchema = (value: unknown): boolean => typeof value === "boolean" || isMap(value);
  const isType = (value: unknown): boolean => typeof value === "string" && TYPES.includes(value);
  const areNames = (value: unknown): boolean => strings(value) && new Set(Object(value)).size === Object(value).length;
  const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
  const isAnchor = (value: unknown): boolean => typeof value === "string" && /^[A-Za-z_][\w.-]*$/.test(value);
  const rules: Record<string, (value: unknown) => boolean> = {
    type: (value) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
    required: areNames,
    properties: (value) => isMap(value) && Object.values(value as object).every(isSchema), // checked before
    items: isSchema,
    enum: Array.isArray,
    anyOf: (value) => Array.isArray(value) && value.length > 0,
    oneOf: (value) => Array.isArray(value) && value.length > 0,
    allOf: (value) => Array.isArray(value) && value.length > 0,
    description: (value) => typeof value === "string",
    minimum: (value) => typeof value === "number",
    maximum: (value) => typeof value === "number",
    exclusiveMinimum: (value) => typeof value === "number",
    exclusiveMaximum: (value) => typeof value === "number",
    $ref: (value) => typeof value === "string",
    $id: (value) => typeof value === "string" && /^[^#]*#?$/.test(value),
    $anchor: isAnchor,
    $dynamicAnchor: isAnchor,
    $vocabulary: (value) => isMap(value) && Object.values(Object(value)).every((one) => typeof one === "boolean"),
    multipleOf: (value) => typeof value === "number" && value > 0,
    minContains: isCount,
    maxContains: isCount,
    minLength: isCount,
    maxLength: isCount,
    minItems: isCount,
    maxItems: isCount,
    minProperties: isCount,
    maxProperties: isCount,
    pattern: (value) => typeof value === "string",
    format: (value) => typeof value === "string",
    title: (value) => typeof value === "string",
    contentEncoding: (value) => typeof value === "string",
    contentMediaType: (value) => typeof value === "string",
    uniqueItems: (value) => typeof value === "boolean",
    dependentRequired: (value) => isMap(value) && Object.values(Object(value)).every(areNames),
    dependencies: (value) =>
      isMap(value) && Object.values(Object(value)).every((one) => areNames(one) || isSchema(one)),
  };
  return Object.keys(rules).find((name) => Object.hasOwn(node, name) && !rules[name]?.(node[name]));
}

export const malformedSchema: Find = schema(({ schema: root }) => {
  if (schemaNodes(root).length === 0) return { keyword: "schema" };
  for (const node of schemaNodes(root)) {
    const keyword = malformedKeyword(node);
    if (keyword !== undefined) return { keyword, value: JSON.stringify(node.schema[keyword]) };
  }
  return undefined;
});

/** A reference that leads nowhere within the schema. */
export const brokenReference: Find = schema(({ schema: root }) => {
  const target = (reference: string): unknown =>
    reference
      .slice(2)
      .split("/")
      .map((key) => decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce<unknown>((value, key) => Object(value)[key], root);
  const node = schemaNodes(root).find(({ schema: { $ref } }) => {
    if (typeof $ref !== "string" || $ref === "#") return false;
    return !$ref.startsWith("#/") || target($ref) === undefined;
  });
  return node && { reference: String(node.schema["$ref"]), path: node.path.join(".") };
});

export const objectWithoutProperties: Find = schemaNode(
  ({ schema: node }) => hasType(node, "object") && !Object.hasOwn(node, "properties"),
);

export const arrayWithoutItems: Find = schemaNode(
  ({ schema: node }) => hasType(node, "array") && !Object.hasOwn(node, "items"),
);

export function pictures(
  refused: (part: PartView, facts: PictureFacts, all: number) => Partial<Finding> | undefined,
): Find {
  return ({ parts }) => {
    const all = parts.filter(({ kind, data }) => kind === "picture" && data !== undefined);
    return firstOf(all, (part) => {
      const found = refused(part, pictureFacts(part.data ?? ""), all.length);
      return found && { at: part.at, type: part.type ?? "", ...withoutUndefined(found) };
    });
  };
}

/** A picture whose bytes are none of these formats. */
export function pictureFormat(...formats: readonly string[]): Find {
  return pictures((_part, { format }) => (formats.includes(format) ? undefined : { format }));
}

/** A picture whose declared type is not one of these. */
export function pictureType(...types: readonly string[]): Find {
  return pictures(({ type }) => (types.includes(type ?? "") ? undefined : {}));
}

/** A picture that is not what it is declared as. */
export const otherPicture: Find = pictures(({ type = "" }, { format }) =>
  format === "other" || type.replace("image/", "") === format ? undefined : { format },
);

export function pictureBytes(most: number): Find {
  return pictures((_part, { bytes }) => (bytes > most ? { bytes } : undefined));
}

/** All pictures and files of a request, by the length of their base64. */
export function totalLength(most: number): Find {
  return ({ parts }) => {
    const length = parts.reduce((sum, { data = "" }) => sum + data.length, 0);
    return length > most ? { at: "messages", length } : undefined;
  };
}

/** By the length of the base64. */
export function pictureLength(most: number): Find {
  return pictures(({ data = "" }) => (data.length > most ? { length: data.length } : undefined));
}

export function pictureSize(most: number, from = 1): Find {
  return pictures((_part, { width, height }, all) =>
    all >= from && Math.max(width, height) > most ? { width, height } : undefined,
  );
}

export function pictureCount(most: number): Find {
  return pictures((_part, _facts, all) => (all > most ? { count: all, most } : undefined));
}

export const emptyPicture: Find = pictures(({ data }) => (data === "" ? {} : undefined));

export const notBase64: Find = ({ parts }) =>
  firstOf(parts, ({ at, data }) =>
    data === undefined || (data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data)) ? undefined : { at },
  );

export function files(refused: (part: PartView, all: number) => Partial<Finding> | undefined): Find {
  return ({ parts }) => {
    const all = parts.filter(({ kind }) => kind === "file");
    return firstOf(all, (part) => {
      const found = refused(part, all.length);
      return found && { at: part.at, type: part.type ?? "", ...withoutUndefined(found) };
    });
  };
}

/** Pages of a PDF, counted as its objects name them. */
export function pagesOf(base64: string): number {
  const text = Buffer.from(base64, "base64").toString("latin1");
  return text.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
}

export function isPdf(base64: string): boolean {
  return Buffer.from(base64.slice(0, 2048), "base64").toString("latin1").includes("%PDF-");
}

export function text(refused: (part: PartView) => boolean): Find {
  return ({ parts }) => firstOf(parts, (part) => (part.kind === "text" && refused(part) ? { at: part.at } : undefined));
}

export function isBlank({ text: value }: PartView): boolean {
  return typeof value !== "string" || value.trim() === "";
}

export function isEmpty({ text: value }: PartView): boolean {
  return value === "";
}

/** The role of the last turn. */
export function endsWith(...roles: readonly string[]): Find {
  return ({ turns }) => {
    const last = turns.at(-1);
    return last && roles.includes(last.role) ? { at: last.at, role: last.role } : undefined;
  };
}

export function beginsWith(...roles: readonly string[]): Find {
  return ({ turns }) => {
    const [first] = turns;
    return first && roles.includes(first.role) ? { at: first.at, role: first.role } : undefined;
  };
}

export function otherRole(...roles: readonly string[]): Find {
  return ({ turns }) => firstOf(turns, ({ at, role }) => (roles.includes(role) ? undefined : { at, role }));
}

export function noTurns({ turns }: RequestView): Finding | undefined {
  return turns.length === 0 ? { at: "messages" } : undefined;
}

/** A call whose result does not come in the next turn, or among the tool messages that follow. */
export function unansweredCall(scope: "next" | "following" | "anywhere"): Find {
  return (request) =>
    firstOf(request.calls, (call) => {
      const open = request.results.filter((result) => answers(request, call, { scope, turn: result.turn }));
      return open.some(({ id }) => id === call.id)
        ? undefined
        : { at: `${turnAt(request, call)}`, id: String(call.id) };
    });
}

function turnAt({ turns }: RequestView, { turn, at }: CallView): string {
  return turns[turn]?.at ?? at;
}

function answers(
  { turns }: RequestView,
  call: CallView,
  { scope, turn }: { scope: "next" | "following" | "anywhere"; turn: number },
): boolean {
  if (scope === "next") return turn === call.turn + 1;
  if (scope === "anywhere") return turn > call.turn;
  return turn > call.turn && turns.slice(call.turn + 1, turn + 1).every(({ role }) => role === "tool");
}

/** A result without a call in the turn before it, or anywhere before it. */
export function orphanResult(scope: "before" | "anywhere"): Find {
  return ({ calls, results, turns }) =>
    firstOf(results, ({ at, id, turn }) => {
      let before = turn - 1;
      while (scope === "before" && turns[before]?.role === "tool") before--;
      const known = calls.some(
        (call) => call.id === id && (scope === "anywhere" ? call.turn < turn : call.turn === before),
      );
      return known ? undefined : { at, id: String(id) };
    });
}

export const resultTwice: Find = ({ results }) => {
  const seen = new Set<string>();
  return firstOf(results, ({ at, id, turn }) => {
    const key = `${turn} ${String(id)}`;
    if (seen.has(key)) return { at, id: String(id) };
    seen.add(key);
    return undefined;
  });
};

export const inputNotAnObject: Find = ({ calls }) =>
  firstOf(calls, ({ at, input, id }) => {
    const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
    return isObject || isObjectText(input) ? undefined : { at, id: String(id) };
  });

export function emptyTurn(...roles: readonly string[]): Find {
  return ({ turns }) =>
    firstOf(turns, ({ at, role, size, content }) =>
      roles.includes(role) && (size === 0 || content === null) && size === 0 ? { at, role } : undefined,
    );
}

/** How often a name occurs as a key anywhere in the body. */
export function countKeys(value: unknown, name: string): number {
  if (typeof value !== "object" || value === null) return 0;
  return Object.entries(value).reduce((sum, [key, inner]) => sum + (key === name ? 1 : 0) + countKeys(inner, name), 0);
}

function withoutUndefined(found: Partial<Finding>): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(found).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
