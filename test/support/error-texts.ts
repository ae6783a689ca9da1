/** The texts of the errors that the sources of the packages create, with `…` for each part that is known at run time only. */
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseAst } from "rolldown/parseAst";

const ROOT = resolve(import.meta.dirname, "../..");
/** Errors whose names do not end with "Error". */
const OTHER_CLASSES: ReadonlySet<string> = new Set(["Problem", "Refusal", "ProxyRefusal"]);
/** The position of the text among the arguments, where it is not the first. */
const TEXT_AT: Readonly<Record<string, number>> = {
  Problem: 1,
  ProxyRefusal: 2,
  PiError: 1,
  AnswerError: 2,
  AggregateError: 1,
  StepMismatchError: 1,
};
/** The functions that make a result of a tool, which a model reads, and the position of its text. */
const RESULTS: Readonly<Record<string, number>> = { createErrorOutcome: 1, createTextResult: 0 };
/** The functions that change nothing in a text of ours. */
const UNCHANGED: ReadonlySet<string> = new Set(["visibleText", "visibleLine", "redact"]);
/** Follows names this far: a text that is passed on more often is a design that nobody can read. */
const MAX_STEPS = 3;
/** Fields whose text becomes that of an error or a failed message elsewhere. */
const FIELDS: ReadonlySet<string> = new Set(["endedEarly", "errorMessage"]);

type Node = Readonly<Record<string, unknown>>;

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}

/** All nodes of a tree, in the order of the text, each with the function around it. */
function listNodes(node: unknown, around?: Node, nodes: [Node, Node | undefined][] = []): [Node, Node | undefined][] {
  if (Array.isArray(node)) {
    for (const part of node) listNodes(part, around, nodes);
  } else if (isNode(node)) {
    nodes.push([node, around]);
    const within = Array.isArray(node["params"]) ? node : around;
    for (const name in node) {
      const part = node[name];
      if (typeof part === "object" && part !== null) listNodes(part, within, nodes);
    }
  }
  return nodes;
}

/** One file: its nodes, and what its names stand for. */
class SourceFile {
  readonly nodes: readonly [Node, Node | undefined][];
  readonly #named = new Map<string, Node>();
  /** The names of functions that are values: `const refuse = (problem) => ...`. */
  readonly #names = new Map<Node, string>();
  readonly #others: readonly SourceFile[];

  /** `others` are the files whose functions this one may import. The list may still grow. */
  constructor(path: string, others: readonly SourceFile[] = []) {
    this.#others = others;
    this.nodes = listNodes(parseAst(readFileSync(path, "utf8"), { lang: "ts" }));
    for (const [node] of this.nodes) {
      const value = node["type"] === "FunctionDeclaration" ? node : (node["init"] ?? node["value"]);
      const name = nameOf(node["id"] ?? node["key"]);
      if (name === undefined || !isNode(value)) continue;
      if (!this.#named.has(name)) this.#named.set(name, value);
      this.#names.set(value, name);
    }
  }

  /** The possible texts of an expression. */
  textsOf(node: unknown, around: Node | undefined, steps = 0): string[] {
    if (!isNode(node)) return ["…"];
    const inner = (part: unknown): string[] => this.textsOf(part, around, steps);
    switch (node["type"]) {
      case "Literal":
        return [typeof node["value"] === "string" ? node["value"] : "…"];
      case "TemplateLiteral":
        return joinTexts(partsOf(node).map((part) => (typeof part === "string" ? [part] : limit(inner(part)))));
      case "BinaryExpression":
        return node["operator"] === "+" ? joinTexts([limit(inner(node["left"])), limit(inner(node["right"]))]) : ["…"];
      case "ConditionalExpression":
        return [...inner(node["consequent"]), ...inner(node["alternate"])];
      case "LogicalExpression":
        return [...inner(node["left"]), ...inner(node["right"])];
      case "Identifier":
        return steps < MAX_STEPS ? this.textsOfName(String(node["name"]), around, steps + 1) : ["…"];
      case "CallExpression":
        if (UNCHANGED.has(calledName(node["callee"]) ?? "")) return inner((node["arguments"] as Node[])[0]);
        return steps < MAX_STEPS ? this.textsOfCall(node, steps + 1) : ["…"];
      default:
        return ["…"];
    }
  }

  textsOfName(name: string, around: Node | undefined, steps: number): string[] {
    const params = (around?.["params"] ?? []) as Node[];
    const index = params.findIndex((param) => nameOf(param) === name);
    if (around && index >= 0) return this.#textsOfArgument(around, index, steps);
    const value = this.#named.get(name);
    return value === undefined
      ? (this.#importOf(name)?.textsOfName(name, undefined, steps) ?? ["…"])
      : this.textsOf(value, undefined, steps);
  }

  /** What the calls of a function pass to it. */
  #textsOfArgument(callee: Node, index: number, steps: number): string[] {
    const name = this.#names.get(callee);
    const calls = this.nodes.filter(([{ callee: called }]) => name !== undefined && calledName(called) === name);
    const texts = calls.flatMap(([call, around]) => this.textsOf((call["arguments"] as Node[])[index], around, steps));
    return texts.length === 0 ? ["…"] : texts;
  }

  /** The other file that has this name, if only one has. */
  #importOf(name: string): SourceFile | undefined {
    const files = this.#others.filter((file) => file !== this && file.#named.has(name));
    return files.length === 1 ? files[0] : undefined;
  }

  /** What a function of the file returns. */
  textsOfCall(call: Node, steps: number): string[] {
    const name = calledName(call["callee"]) ?? "";
    const callee = this.#named.get(name);
    if (callee === undefined) return this.#importOf(name)?.textsOfCall(call, steps) ?? ["…"];
    if (!Array.isArray(callee["params"])) return ["…"];
    const body = callee["body"] as Node;
    if (body["type"] !== "BlockStatement") return this.textsOf(body, callee, steps);
    const returns = listNodes(body, callee).filter(
      ([node, around]) => node["type"] === "ReturnStatement" && around === callee,
    );
    return returns.length === 0 ? ["…"] : returns.flatMap(([node]) => this.textsOf(node["argument"], callee, steps));
  }
}

/** What a part of a text can be; many alternatives, or values among them, tell a reader no more than `…`. */
function limit(texts: readonly string[]): string[] {
  const different = [...new Set(texts)];
  return different.length > 3 || different.includes("…") ? ["…"] : different;
}

function nameOf(node: unknown): string | undefined {
  return isNode(node) && typeof node["name"] === "string" ? node["name"] : undefined;
}

function calledName(callee: unknown): string | undefined {
  return nameOf(callee) ?? (isNode(callee) ? nameOf(callee["property"]) : undefined);
}

function partsOf(template: Node): (string | Node)[] {
  const quasis = template["quasis"] as { value: { cooked: string } }[];
  const values = template["expressions"] as Node[];
  return quasis.flatMap(({ value }, index) => {
    const next = values[index];
    return next ? [value.cooked, next] : [value.cooked];
  });
}

function joinTexts(parts: readonly string[][]): string[] {
  return parts.reduce((texts, part) => texts.flatMap((text) => part.map((next) => text + next)), [""]);
}

/** The node with the text of an error or of a tool's result that an expression creates. */
function textNode(node: Node): unknown {
  const args = (node["arguments"] ?? []) as Node[];
  switch (node["type"]) {
    case "Property":
      return FIELDS.has(nameOf(node["key"]) ?? "") ? node["value"] : undefined;
    case "ObjectExpression":
      return isError(fieldOf(node, "reason")) ? fieldOf(node, "message") : undefined;
    case "CallExpression":
      return textOfCall(calledName(node["callee"]) ?? "", args);
    case "NewExpression":
      return textOfError(calledName(node["callee"]) ?? "", args);
    default:
      return undefined;
  }
}

function textOfCall(name: string, args: readonly Node[]): Node | undefined {
  return name === "stop" && isError(args[0]) ? args[1] : args[RESULTS[name] ?? -1];
}

function textOfError(name: string, args: readonly Node[]): unknown {
  if (!(name.endsWith("Error") || OTHER_CLASSES.has(name))) return undefined;
  const text = args[TEXT_AT[name] ?? 0];
  return text?.["type"] === "ObjectExpression" ? fieldOf(text, "message") : text;
}

function fieldOf(object: Node, name: string): unknown {
  return (object["properties"] as Node[]).find(({ key }) => nameOf(key) === name)?.["value"];
}

/** Whether an expression is the reason of a stop that is a failure. */
function isError(node: unknown): boolean {
  return isNode(node) && node["value"] === "error";
}

/** By package and file: every text that the file gives an error. Texts that consist of values alone are left out. */
export function collectErrorTexts(): ReadonlyMap<string, readonly string[]> {
  const files = globSync("packages/*/src/**/*.ts", { cwd: ROOT }).filter(
    (file) => !/\.(?:test|generated)\.ts$/.test(file),
  );
  const sources: SourceFile[] = [];
  for (const file of files.sort()) sources.push(new SourceFile(join(ROOT, file), sources));
  return new Map(files.map((file, index) => [file, textsIn(sources[index] ?? new SourceFile(join(ROOT, file)))]));
}

function textsIn(source: SourceFile): string[] {
  const texts = source.nodes.flatMap(([node, around]) => {
    const text = textNode(node);
    return text === undefined ? [] : source.textsOf(text, around);
  });
  return [...new Set(texts.map(shorten))].filter((text) => /\p{L}{2}/u.test(text));
}

/** On one line, with one mark for values that follow each other. */
function shorten(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/…(?:[ …]*…)+/g, "…")
    .replaceAll(/(?:…: )+/g, "…: ")
    .trim();
}
