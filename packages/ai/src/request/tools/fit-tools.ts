/** Fits the tools of a request, and the calls in its history, to what the vendor accepts. The conversation stays as it is. */
import type { ToolRules } from "../../catalogue/compat/index.js";
import { cutText } from "../../errors.js";
import type { RequestNote } from "../../transport/index.js";
import type { Context, Tool } from "../../types/context.js";
import type { AssistantBlock, Message, ToolCall } from "../../types/message.js";
import { isRecord } from "../../utils/is-object.js";
import type { PropertyNames } from "../schema/index.js";
import type { GivenNames } from "./given-names.js";
import { arePortable } from "./portable-tools.js";
import { MAX_TOLD, MAX_TOLD_NAME, ToolNames } from "./tool-names.js";

export interface FittedTools {
  context: Context;
  /** The changes, for the diagnostics of the message. */
  notes: RequestNote[];
  /** Turns the names in the response back; undefined if no name differs. */
  names: GivenNames | undefined;
}

/** The same tools become the same bytes in every request, so that the provider's cache of a prompt holds. */
export async function fitTools(context: Context, rules: ToolRules): Promise<FittedTools> {
  const notes: RequestNote[] = [];
  // Few tools are changed, or cannot be sent.
  const odd = context.tools && !arePortable(context.tools) ? await import("./tool-fitting.js") : undefined;
  odd?.assertTools(context.tools ?? []);
  const tools = context.tools && withoutRepeated(context.tools, notes);
  const names = new ToolNames(rules.names, tools?.map(({ name }) => name) ?? []);
  const properties = new Map<string, PropertyNames>();
  const fitting = odd?.createFitting(rules, notes);
  const fitted = tools?.map((tool) => {
    if (tool.server) return tool;
    const { tool: own = tool, renamed } = fitting?.(tool) ?? {};
    if (renamed) properties.set(tool.name, renamed);
    return withFields(own, { name: names.toSent(tool.name) });
  });
  const messages = fitMessages(context.messages, names, properties);
  const changed = names.changed;
  if (changed.length > 0) {
    const told = changed.slice(0, MAX_TOLD).map(([given, sent]) => [cutText(given, MAX_TOLD_NAME), sent] as const);
    notes.push({ type: "names_changed", details: { names: Object.fromEntries(told), source: rules.names.source } });
  }
  const isSame =
    messages === context.messages && (fitted?.every((tool, index) => tool === context.tools?.[index]) ?? true);
  const isWhole = fitted?.length === context.tools?.length;
  // Few names differ.
  const given =
    changed.length > 0 || properties.size > 0
      ? new (await import("./given-names.js")).GivenNames(names, properties)
      : undefined;
  return {
    context: isSame && isWhole ? context : { ...context, messages, ...(fitted ? { tools: fitted } : {}) },
    notes,
    names: given,
  };
}

/** The first tool of a name is the one that runs. */
function withoutRepeated(tools: readonly Tool[], notes: RequestNote[]): readonly Tool[] {
  const seen = new Set<string>();
  const kept = tools.filter(({ name, server }) => {
    if (server || !seen.has(name)) return seen.add(name);
    notes.push({
      type: "tool_omitted",
      details: { tool: cutText(name, MAX_TOLD_NAME), reason: "another tool has its name" },
    });
    return false;
  });
  return kept.length === tools.length ? tools : kept;
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
  const sent = renamed && isRecord(input) ? renamed.root.toSentArguments(input) : input;
  return withFields(call, { name: names.toSent(given), ...(isRecord(sent) ? { arguments: sent } : {}) });
}
