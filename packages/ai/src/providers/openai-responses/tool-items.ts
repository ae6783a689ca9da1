/** Items that are tools in the provider's own format, as server tools. */
import type { Citation, ServerToolContent } from "../../types/message.js";
import { isRecord } from "../../utils/is-object.js";
import { ownValue } from "../../utils/own-value.js";
import { isText, tryParseJson } from "../../utils/read-text.js";
import { objectsOf, type WireItem } from "./wire-items.js";

type Data = Record<string, unknown>;

/** The fields of a block that an item determines. */
export type ToolFields = Pick<ServerToolContent, "input" | "output" | "errorText">;

/** One type of item: the name of its tool, and how to read its fields. */
interface ToolKind {
  name: string;
  read: (item: WireItem) => ToolFields;
  /**
   * Whether the application has to act before the response goes on. `later`: an output item of the provider decides, or
   * its absence.
   */
  waits?: (item: WireItem) => boolean | "later";
  /** Whether the provider sends the result as an item of its own: in this response, or perhaps in a later one. */
  result?: (item: WireItem) => "here" | "later" | undefined;
}

const always = (): boolean => true;
const runsAtProvider = (item: WireItem): boolean => item["execution"] !== "client";

/** Items by type (OpenAI API reference and openai SDK 7.57, `ResponseOutputItem`, 2026-11). */
const TOOL_KINDS: Readonly<Record<string, ToolKind>> = {
  web_search_call: { name: "web_search", read: readWebSearch },
  file_search_call: { name: "file_search", read: readFileSearch },
  code_interpreter_call: { name: "code_interpreter", read: readCode },
  image_generation_call: { name: "image_generation", read: readImage },
  mcp_list_tools: { name: "mcp_list_tools", read: readToolList },
  mcp_call: { name: "mcp", read: readMcpCall },
  mcp_approval_request: { name: "mcp_approval", read: readApproval, waits: always },
  computer_call: { name: "computer", read: readComputer, waits: always },
  local_shell_call: { name: "local_shell", read: readAction, waits: always },
  apply_patch_call: { name: "apply_patch", read: readOperation, waits: always },
  shell_call: { name: "shell", read: readAction, waits: shellWaits, result: () => "here" },
  tool_search_call: {
    name: "tool_search",
    read: readToolSearch,
    waits: (item) => !runsAtProvider(item),
    result: (item) => (runsAtProvider(item) ? "here" : undefined),
  },
  program: { name: "program", read: ({ code }) => ({ input: present({ code }) }), result: () => "later" },
  shell_call_output: { name: "shell", read: ({ output }) => readShellOutput(output) },
  tool_search_output: { name: "tool_search", read: readFoundTools },
  program_output: { name: "program", read: ({ result }) => ({ output: present({ text: result }) }) },
};

function toolKindOf(type: string | undefined): ToolKind | undefined {
  return ownValue(TOOL_KINDS, type);
}

/** The name of the tool. An item of a type that is not known has its type as name. */
export function toolNameOf(item: WireItem): string {
  const { server_label: server, name, type = "" } = item;
  if (type === "mcp_call" && isText(server) && isText(name)) return `mcp__${server}__${name}`;
  return toolKindOf(type)?.name ?? type;
}

export function readToolItem(item: WireItem): ToolFields {
  const kind = toolKindOf(item.type);
  const { input, ...fields } = kind ? kind.read(item) : { output: clearFields(item) };
  return input && Object.keys(input).length > 0 ? { ...fields, input } : fields;
}

/** Whether the application has to act; `later` if the end of the response decides. */
export function waitsForClient(item: WireItem): boolean | "later" {
  return toolKindOf(item.type)?.waits?.(item) ?? false;
}

/** Whether an item with the result follows in this response, or perhaps in a later one. */
export function resultOf(item: WireItem): "here" | "later" | undefined {
  return toolKindOf(item.type)?.result?.(item);
}

/** Whether the item is the result of another one. */
export function isOutputItem({ type }: WireItem): boolean {
  return type?.endsWith("_output") ?? false;
}

/** Returns the outcome of the tool that its own item states. */
export function hasFailed({ status, error }: WireItem): boolean {
  return status === "failed" || status === "incomplete" || (error !== undefined && error !== null);
}

/** A shell runs at the provider in a container, and elsewhere in the application (guide "Shell", 2026-11). */
function shellWaits({ environment }: WireItem): boolean | "later" {
  const type = isRecord(environment) ? environment["type"] : undefined;
  if (type === "local") return true;
  return type === "container_reference" ? false : "later";
}

function readWebSearch({ action }: WireItem): ToolFields {
  if (!isRecord(action)) return {};
  const { sources, type, ...query } = action;
  const found = objectsOf<Data>(sources).map(({ url, title }): Citation => present({ url, title }));
  const input = present({ ...(type === "search" ? {} : { type }), ...query });
  return { input, ...(found.length > 0 ? { output: { sources: found } } : {}) };
}

function readFileSearch({ queries, results }: WireItem): ToolFields {
  const sources = objectsOf<Data>(results).map(
    ({ file_id, filename, text }): Citation => present({ source: file_id, title: filename, quote: text }),
  );
  return { input: present({ queries }), ...(sources.length > 0 ? { output: { sources } } : {}) };
}

function readCode({ code, container_id, outputs }: WireItem): ToolFields {
  const parts = objectsOf<Data>(outputs);
  const stdout = joined(parts, "logs");
  const images = parts.flatMap(({ url }) => (isText(url) ? [url] : []));
  const output = { ...(stdout === "" ? {} : { stdout }), ...(images.length > 0 ? { images } : {}) };
  return { input: present({ code, container_id }), ...(Object.keys(output).length > 0 ? { output } : {}) };
}

function readImage({ revised_prompt, size, quality, background, output_format, error }: WireItem): ToolFields {
  const output = present({ size, quality, background, output_format });
  return { input: present({ prompt: revised_prompt }), output, ...readError(error) };
}

function readToolList({ server_label, tools, error }: WireItem): ToolFields {
  const listed = objectsOf<Data>(tools).map(({ name, description }) => present({ name, description }));
  return { input: present({ server_label }), output: { tools: listed }, ...readError(error) };
}

function readMcpCall({ arguments: input, output, error }: WireItem): ToolFields {
  return { ...readArguments(input), ...(isText(output) ? { output: { text: output } } : {}), ...readError(error) };
}

function readApproval({ server_label, name, arguments: input }: WireItem): ToolFields {
  return { input: present({ server_label, name, arguments: readArguments(input).input }) };
}

function readComputer({ action, actions, pending_safety_checks: checks }: WireItem): ToolFields {
  const pending = Array.isArray(checks) && checks.length > 0 ? checks : undefined;
  return { input: present({ action, actions, pending_safety_checks: pending }) };
}

function readAction({ action }: WireItem): ToolFields {
  return isRecord(action) ? { input: present(action) } : {};
}

function readOperation({ operation }: WireItem): ToolFields {
  return isRecord(operation) ? { input: present(operation) } : {};
}

function readToolSearch({ arguments: input }: WireItem): ToolFields {
  return readArguments(input);
}

function readFoundTools({ tools }: WireItem): ToolFields {
  return {
    output: {
      tools: objectsOf<Data>(tools).map(({ type, name, description }) => present({ type, name, description })),
    },
  };
}

/** The results of several commands as one: what they printed, and the first exit code other than zero. */
function readShellOutput(output: unknown): ToolFields {
  const results = objectsOf<Data>(output);
  const outcomes = results.flatMap(({ outcome }) => (isRecord(outcome) ? [outcome] : []));
  const codes = outcomes.flatMap(({ exit_code: code }) => (typeof code === "number" ? [code] : []));
  const exitCode = codes.find((code) => code !== 0) ?? codes[0];
  const timedOut = outcomes.some(({ type }) => type === "timeout");
  return {
    output: { stdout: joined(results, "stdout"), stderr: joined(results, "stderr"), ...present({ exitCode }) },
    ...(timedOut ? { errorText: "The command timed out" } : {}),
  };
}

/** Arguments are JSON text or, in a tool search, an object. */
function readArguments(value: unknown): { input?: Data } {
  const data = typeof value === "string" ? tryParseJson(value) : value;
  return isRecord(data) ? { input: data } : {};
}

/** The error of a tool is a text, or an object with a message or with content. */
function readError(error: unknown): { errorText?: string } {
  if (isText(error)) return { errorText: error };
  if (!isRecord(error)) return {};
  const { message, content, type } = error;
  const text = [message, joined(objectsOf<Data>(content), "text"), type].find(isText);
  return text === undefined ? {} : { errorText: text };
}

const OPAQUE = /^encrypted_|^(?:signature|fingerprint)$/;

/** The item without its address and without data that only the provider can read. */
function clearFields({ type: _type, id: _id, call_id: _call, status: _status, ...fields }: WireItem): Data | undefined {
  // Data from JSON stays JSON.
  const clear = JSON.parse(JSON.stringify(fields, (name, value) => (OPAQUE.test(name) ? undefined : value))) as Data;
  return Object.keys(clear).length > 0 ? clear : undefined;
}

function joined(parts: readonly Data[], field: string): string {
  return parts.flatMap((part) => (isText(part[field]) ? [part[field]] : [])).join("");
}

/** The fields that have a value. */
function present(fields: Data): Data {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}
