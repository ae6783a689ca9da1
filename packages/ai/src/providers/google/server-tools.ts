/** Reads the tools that Google runs from the parts of its stream, and keeps parts of unknown kinds whole. */
import type { MessageSink } from "../../message/index.js";
import { type PlacedItem, type WireItem, writeWireItems } from "../../request/index.js";
import type { ServerToolContent } from "../../types/message.js";
import { isRecord } from "../../utils/is-object.js";
import { ownValue } from "../../utils/own-value.js";
import { isText } from "../../utils/read-text.js";

type Fields = Record<string, unknown>;

/** A tool whose block is open. It stays open until the response ends, because its sources arrive last. */
interface OpenTool {
  key: string;
  id: string;
  name: string;
  ended: boolean;
  output: Fields | undefined;
  input: Fields | undefined;
  items: PlacedItem[];
  /** The number of blocks in the message just after this one began. */
  length: number;
}

/** The names of `toolType` (ai.google.dev, "ToolType", 2026-11) that differ from the lower-case value. */
const TOOL_NAMES: Readonly<Record<string, string>> = {
  GOOGLE_SEARCH_WEB: "web_search",
  GOOGLE_SEARCH_IMAGE: "image_search",
};
const CODE_EXECUTION = "code_execution";
/** The fields of a part beside the one that holds its content. */
const PART_FIELDS: ReadonlySet<string> = new Set(["thought", "thoughtSignature", "partMetadata"]);

/** Whether a field of a part holds its content. */
export function isPartContent(name: string): boolean {
  return !PART_FIELDS.has(name);
}

export class ServerToolReader {
  readonly #tools: OpenTool[] = [];
  readonly #byName = new Map<string, OpenTool>();
  readonly #byId = new Map<string, OpenTool>();
  /** The position of the last result that does not directly follow its tool. */
  #lastPlace = -1;
  /** The number of results that carry an explicit position. */
  #late = 0;

  /** Maps a part that is neither text, nor a function call, nor a file. */
  add(part: WireItem, sink: MessageSink): void {
    const { executableCode, codeExecutionResult, toolCall, toolResponse } = part;
    if (isRecord(executableCode)) {
      const { id, ...input } = executableCode;
      this.#begin({ id, name: CODE_EXECUTION, input }, part, sink);
    } else if (isRecord(codeExecutionResult)) {
      this.#end(codeExecutionResult["id"], CODE_EXECUTION, codeResult(codeExecutionResult), part, sink);
    } else if (isRecord(toolCall)) {
      this.#begin({ id: toolCall["id"], name: toolName(toolCall["toolType"]), input: toolCall["args"] }, part, sink);
    } else if (isRecord(toolResponse)) {
      const { id, toolType, response } = toolResponse;
      const output = isRecord(response) ? response : undefined;
      this.#end(id, toolName(toolType), { status: "done", output }, part, sink);
    } else {
      this.#keep(part, sink);
    }
  }

  /** Adds facts about a tool that the response sends outside its parts. They are not sent back. */
  describe(name: string, input: Fields | undefined, output: Fields, sink: MessageSink): void {
    const tool = this.#byName.get(name) ?? this.#open({ id: undefined, name, input }, [], sink);
    tool.input ??= input;
    tool.output = { ...tool.output, ...output };
    const status = tool.ended ? undefined : "done";
    tool.ended = true;
    sink.patch(tool.key, { status, input: tool.input, output: tool.output });
  }

  /** Marks every tool as done when the response ends, because Google does not send every result. */
  settle(sink: MessageSink): void {
    for (const tool of this.#tools) {
      if (!tool.ended) sink.patch(tool.key, { status: "done" });
      tool.ended = true;
    }
  }

  #begin(tool: { id: unknown; name: string; input: unknown }, item: WireItem, sink: MessageSink): OpenTool {
    return this.#open(tool, [{ item }], sink);
  }

  #open(
    { id, name, input }: { id: unknown; name: string; input: unknown },
    items: PlacedItem[],
    sink: MessageSink,
  ): OpenTool {
    const tool: OpenTool = {
      key: `server:${this.#tools.length}`,
      id: isText(id) ? id : "",
      name,
      ended: false,
      output: undefined,
      input: isRecord(input) ? input : undefined,
      items,
      length: 0,
    };
    const signature = writeWireItems(items);
    sink.open(tool.key, { type: "serverTool", id: tool.id, name, status: "running", input: tool.input, signature });
    tool.length = sink.length;
    this.#tools.push(tool);
    this.#byName.set(name, tool);
    if (tool.id !== "") this.#byId.set(tool.id, tool);
    return tool;
  }

  #end(
    id: unknown,
    name: string,
    result: Pick<ServerToolContent, "status" | "errorText"> & { output: Fields | undefined },
    item: WireItem,
    sink: MessageSink,
  ): void {
    const begun = this.#find(id, name);
    const tool = begun ?? this.#begin({ id, name, input: undefined }, item, sink);
    if (begun) tool.items.push(this.#place(item, tool, sink.length));
    tool.ended = true;
    tool.output = result.output;
    sink.patch(tool.key, { ...result, signature: writeWireItems(tool.items) });
  }

  /** A result that arrives after other blocks keeps its position. Without one, it would be sent back before them. */
  #place(item: WireItem, tool: OpenTool, at: number): PlacedItem {
    if (at === tool.length && this.#lastPlace !== at) return { item };
    this.#lastPlace = at;
    return { item, at, order: this.#late++ };
  }

  /** Without an id, a result belongs to the last use of its tool. */
  #find(id: unknown, name: string): OpenTool | undefined {
    const tool = isText(id) ? this.#byId.get(id) : this.#byName.get(name);
    return tool?.ended === false ? tool : undefined;
  }

  /** Keeps a part of an unknown kind. */
  #keep(part: WireItem, sink: MessageSink): void {
    const entry = Object.entries(part).find(([name, value]) => isPartContent(name) && value !== null);
    if (!entry) return;
    const [name, content] = entry;
    const id = isRecord(content) ? content["id"] : undefined;
    const tool = this.#begin({ id, name, input: undefined }, part, sink);
    tool.ended = true;
    sink.patch(tool.key, { status: "done", output: content });
  }
}

function toolName(toolType: unknown): string {
  if (!isText(toolType)) return "server_tool";
  return ownValue(TOOL_NAMES, toolType) ?? toolType.toLowerCase();
}

/** The output of failed code mixes standard output and standard error. */
function codeResult({ id: _, output, ...fields }: Fields): {
  status: "done" | "failed";
  output: Fields;
  errorText?: string;
} {
  const stdout = isText(output) ? output : "";
  if (fields["outcome"] === "OUTCOME_OK") return { status: "done", output: { ...fields, stdout } };
  return { status: "failed", output: { ...fields, stderr: stdout }, errorText: stdout || outcomeOf(fields) };
}

function outcomeOf({ outcome }: Fields): string {
  return isText(outcome) ? outcome : "The code failed";
}
