/** Fits the tools of a request, and the calls in its history, to what the vendor accepts. The conversation stays as it is. */
import type { ToolRules } from "../../catalogue/compat/index.js";
import { ConfigError, cutText } from "../../errors.js";
import type { RequestNote } from "../../transport/index.js";
import type { Context, Tool } from "../../types/context.js";
import type { AssistantBlock, Message, ToolCall } from "../../types/message.js";
import { isRecord } from "../../utils/is-object.js";
import { sanitizeSurrogates, toWellFormed } from "../../utils/sanitize-unicode.js";
import {
  DialectBudget,
  fitDialect,
  type PropertyNames,
  renameProperties,
  type Schema,
  toSentArguments,
  withWords,
} from "../schema/index.js";
import { GivenNames } from "./given-names.js";
import { ToolNames } from "./tool-names.js";

export interface FittedTools {
  context: Context;
  /** What was changed, for the diagnostics of the message. */
  notes: RequestNote[];
  /** Turns the names in the response back; undefined if no name differs. */
  names: GivenNames | undefined;
}

/** So many names are told, each up to this length. */
const MAX_TOLD = 20;
const MAX_NAME = 100;

/** The same tools become the same bytes in every request, so that the provider's cache of a prompt holds. */
export function fitTools(context: Context, rules: ToolRules): FittedTools {
  const notes: RequestNote[] = [];
  const tools = context.tools && withoutRepeated(context.tools, notes);
  const names = new ToolNames(rules.names, tools?.map(({ name }) => name) ?? []);
  const properties = new Map<string, PropertyNames>();
  const budget = new DialectBudget();
  const fitted = tools?.map((tool) => {
    if (tool.server) return tool;
    const { tool: own, renamed } = fitTool(tool, rules, { notes, budget });
    if (renamed) properties.set(tool.name, renamed);
    return withFields(own, { name: names.toSent(tool.name) });
  });
  const messages = fitMessages(context.messages, names, properties);
  const changed = names.changed;
  if (changed.length > 0) {
    const told = changed.slice(0, MAX_TOLD).map(([given, sent]) => [cutText(given, MAX_NAME), sent] as const);
    notes.push({ type: "names_changed", details: { names: Object.fromEntries(told), source: rules.names.source } });
  }
  const isSame =
    messages === context.messages && (fitted?.every((tool, index) => tool === context.tools?.[index]) ?? true);
  const isWhole = fitted?.length === context.tools?.length;
  const restores = changed.length > 0 || properties.size > 0;
  return {
    context: isSame && isWhole ? context : { ...context, messages, ...(fitted ? { tools: fitted } : {}) },
    notes,
    names: restores ? new GivenNames(names, properties) : undefined,
  };
}

/** The first tool of a name is the one that runs. */
function withoutRepeated(tools: readonly Tool[], notes: RequestNote[]): readonly Tool[] {
  const seen = new Set<string>();
  const kept = tools.filter(({ name, server }) => {
    if (server || !seen.has(name)) return seen.add(name);
    notes.push({
      type: "tool_omitted",
      details: { tool: cutText(name, MAX_NAME), reason: "another tool has its name" },
    });
    return false;
  });
  return kept.length === tools.length ? tools : kept;
}

interface Report {
  notes: RequestNote[];
  budget: DialectBudget;
}

function fitTool(tool: Tool, { schema: dialect }: ToolRules, { notes, budget }: Report): FittedTool {
  const { schema, changes } = fitDialect(tool.parameters, dialect, budget);
  const renamed = renameProperties(schema, dialect);
  if (renamed) changes.push(`root: renamed the properties ${namesOf(renamed)}`);
  const sent = renamed?.schema ?? schema;
  const wellFormed = toWellFormed(sent);
  if (wellFormed !== sent) changes.push("root: left out halves of characters");
  const { description, rest } = cutDescription(describe(tool), dialect.descriptionLength);
  if (rest !== "") changes.push("root: moved the end of the tool's description into that of its parameters");
  const parameters = rest === "" ? wellFormed : withWords(wellFormed, [rest]);
  if (changes.length > 0)
    notes.push({ type: "schema_narrowed", details: { schema: tool.name, changes, source: dialect.source } });
  return { tool: withFields(tool, { description, parameters }), renamed };
}

interface FittedTool {
  tool: Tool;
  renamed: PropertyNames | undefined;
}

function namesOf({ renamed }: PropertyNames): string {
  return [...renamed.keys()]
    .slice(0, MAX_TOLD)
    .map((name) => JSON.stringify(cutText(name, MAX_NAME)))
    .join(", ");
}

/** Sample calls are words here: only one provider has a field for them, and it refuses those that its form of the schema does not fit. */
function describe({ name, description, examples }: Tool): string {
  if (examples === undefined || examples.length === 0) return description;
  if (!Array.isArray(examples)) throw new ConfigError(`The examples of the tool ${name} must be a list of arguments.`);
  const shown = examples.map((example) => JSON.stringify(example)).join("\n");
  return [description, `Examples of arguments:\n${shown}`].filter(Boolean).join("\n\n");
}

function cutDescription(given: string, maxLength = Number.POSITIVE_INFINITY): { description: string; rest: string } {
  // Tools written by hand may lack it.
  if (typeof given !== "string") return { description: given, rest: "" };
  const description = sanitizeSurrogates(given);
  if (description.length <= maxLength) return { description, rest: "" };
  const space = description.lastIndexOf(" ", maxLength);
  const end = space > maxLength / 2 ? space : maxLength;
  return {
    description: sanitizeSurrogates(description.slice(0, end)),
    rest: sanitizeSurrogates(description.slice(end).trim()),
  };
}

/** Returns the object itself if the fields are equal. */
function withFields<TObject extends object>(object: TObject, fields: Partial<TObject>): TObject {
  const isSame = Object.entries(fields).every(([name, value]) => Reflect.get(object, name) === value);
  return isSame ? object : { ...object, ...fields };
}

type Properties = ReadonlyMap<string, PropertyNames>;

function fitMessages(messages: Message[], names: ToolNames, properties: Properties): Message[] {
  const fitted = messages.map((message): Message => {
    if (message.role === "toolResult") {
      // Imported transcripts may lack it; the call names the tool.
      return message.toolName ? withFields(message, { toolName: names.toSent(message.toolName) }) : message;
    }
    if (message.role !== "assistant" || !Array.isArray(message.content)) return message;
    const content = message.content.map((block) => (block ? fitBlock(block, names, properties) : block));
    return content.every((block, index) => block === message.content[index]) ? message : { ...message, content };
  });
  return fitted.every((message, index) => message === messages[index]) ? messages : fitted;
}

function fitBlock(block: AssistantBlock, names: ToolNames, properties: Properties): AssistantBlock {
  // A tool that waits is a call for a model that did not make it.
  if (block.type === "serverTool" && block.status === "waiting")
    return withFields(block, { name: names.toSent(block.name) });
  return block.type === "toolCall" ? fitCall(block, names, properties) : block;
}

function fitCall(call: ToolCall, names: ToolNames, properties: Properties): ToolCall {
  const given = typeof call.name === "string" ? call.name : "";
  const renamed = properties.get(given);
  const input: unknown = call.arguments;
  const sent = renamed && isRecord(input) ? toSentArguments(input, renamed.root) : input;
  return withFields(call, { name: names.toSent(given), ...(isRecord(sent) ? { arguments: sent as Schema } : {}) });
}
