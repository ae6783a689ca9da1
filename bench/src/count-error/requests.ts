/** Reads recorded requests of every api as contexts. */
import type { AssistantMessage, Context, Message, Tool, ToolCall, ToolResultMessage } from "pi-ai";

export type Fields = Record<string, unknown>;

type UserMessage = Extract<Message, { role: "user" }>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** The context of a request; undefined if the request has parts that a context lacks, such as tools of the provider. */
export function readContext(request: Fields): Context | undefined {
  const tools = readTools(request);
  const items = request["messages"] ?? request["contents"] ?? request["input"];
  if (tools === undefined || items === undefined) return undefined;
  const all = typeof items === "string" ? [{ role: "user", content: items }] : listOf(items);
  const isSystem = ({ role }: Fields): boolean => role === "system" || role === "developer";
  const instruction = request["systemInstruction"] ?? request["system_instruction"];
  const system = [request["system"], request["instructions"], instruction, ...all.filter(isSystem)];
  return {
    systemPrompt: system.map(textOf).filter(Boolean).join("\n"),
    messages: all.filter((item) => !isSystem(item)).flatMap(readItem),
    tools,
  };
}

function readTools(request: Fields): Tool[] | undefined {
  const config = request["toolConfig"];
  const given = [...listOf(request["tools"]), ...(isFields(config) ? listOf(config["tools"]) : [])];
  const declared = given.flatMap((tool) => {
    if (Array.isArray(tool["functionDeclarations"])) return listOf(tool["functionDeclarations"]);
    const spec = tool["function"] ?? tool["toolSpec"] ?? tool;
    return isFields(spec) ? [spec] : [];
  });
  const tools = declared.map((tool) => {
    const bedrock = tool["inputSchema"];
    const schema = tool["parameters"] ?? tool["input_schema"] ?? tool["parametersJsonSchema"];
    const parameters = schema ?? (isFields(bedrock) ? bedrock["json"] : undefined);
    return { name: String(tool["name"]), description: String(tool["description"] ?? ""), parameters };
  });
  // A tool that the provider runs has no schema.
  return tools.every(({ name, parameters }) => name !== "undefined" && isFields(parameters))
    ? (tools as Tool[])
    : undefined;
}

/** One item may hold several results. Reasoning is omitted, because it is not in the prompts of later turns. */
function readItem(item: Fields): Message[] {
  const parts = item["content"] ?? item["parts"] ?? item["output"];
  const list = listOf(parts);
  const results = [item, ...list].flatMap(readResult);
  if (results.length > 0) return results;
  const calls = [item, ...list, ...listOf(item["tool_calls"])].flatMap(readCall);
  const text = textOf(item);
  if (item["role"] === "user") return [{ role: "user", content: text, timestamp: 0 } satisfies UserMessage];
  if (item["type"] === "reasoning") return [];
  const content = [...(text ? [{ type: "text" as const, text }] : []), ...calls];
  return [{ role: "assistant", content, stopReason: "error" } as AssistantMessage]; // no count of its own
}

function readResult(part: Fields): ToolResultMessage[] {
  const gemini = part["functionResponse"];
  const bedrock = part["toolResult"];
  let text: string | undefined;
  if (part["type"] === "tool_result" || part["role"] === "tool") text = textOf(part["content"]);
  else if (part["type"] === "function_call_output") text = textOf(part["output"]);
  else if (isFields(gemini)) text = JSON.stringify(gemini["response"]);
  else if (isFields(bedrock)) text = JSON.stringify(bedrock["content"]);
  if (text === undefined) return [];
  const content = [{ type: "text" as const, text }];
  return [{ role: "toolResult", toolCallId: "", toolName: "", content, isError: false, timestamp: 0 }];
}

function readCall(part: Fields): ToolCall[] {
  const call = part["functionCall"] ?? part["toolUse"] ?? part["function"] ?? part;
  if (!isFields(call) || typeof call["name"] !== "string") return [];
  const input = call["input"] ?? call["args"] ?? call["arguments"];
  return [{ type: "toolCall", id: "", name: call["name"], arguments: readArguments(input) }];
}

export function readArguments(input: unknown): Record<string, unknown> {
  if (isFields(input)) return input;
  try {
    return JSON.parse(String(input));
  } catch {
    return typeof input === "string" ? { input } : {};
  }
}

/** The text of a message, a part, or a list of them. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textOf).join("");
  if (!isFields(value) || value["thought"] === true || value["type"] === "thinking") return "";
  return textOf(value["text"] ?? value["content"] ?? value["parts"] ?? "");
}
