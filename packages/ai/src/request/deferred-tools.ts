/** Tools that the model need not read, because the provider searches them. */
import type { Context, ServerToolRequest, Tool } from "../types/context.js";
import type { Message, SystemMessage } from "../types/message.js";
import { addsTools } from "./changes/system-messages.js";
import type { ServerToolRows } from "./server-tools/server-tool-rows.js";

/**
 * The context with deferred tools only if a tool of the provider searches them: else no model would ever see them. Tools that
 * a message adds are whole, because a change says that the model may call them from there on.
 */
export function withoutDeferral(context: Context, { searches }: Pick<ServerToolRows, "searches"> = {}): Context {
  const { tools = [], messages } = context;
  const isSearched = tools.some(({ server }) => server && isSearch(server, searches));
  const inMessages = messages.some(addsDeferred);
  if (!inMessages && (isSearched || !tools.some(isDeferred))) return context;
  return {
    ...context,
    ...(context.tools && !isSearched && { tools: tools.map(toWhole) }),
    ...(inMessages && { messages: messages.map(withWholeTools) }),
  };
}

function isSearch(server: ServerToolRequest, searches: RegExp | undefined): boolean {
  if (server.kind !== "declared") return server.kind === "toolSearch";
  return searches?.test(String(server.declaration["type"])) ?? false;
}

function isDeferred({ loading }: Tool): boolean {
  return loading !== undefined;
}

function toWhole(tool: Tool): Tool {
  if (!isDeferred(tool)) return tool;
  const { loading: _, ...whole } = tool;
  return whole;
}

function addsDeferred(message: Message): message is SystemMessage & { toolsAdded: Tool[] } {
  return addsTools(message) && message.toolsAdded.some(isDeferred);
}

function withWholeTools(message: Message): Message {
  return addsDeferred(message) ? { ...message, toolsAdded: message.toolsAdded.map(toWhole) } : message;
}
