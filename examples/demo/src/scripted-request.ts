/** Reads a request of the Anthropic Messages API: the latest question, and the tool results that came after it. */

export interface WireRequestBody {
  messages?: { role?: string; content?: WireContent[] | string }[];
}

interface WireContent {
  type?: string;
  text?: string;
  id?: string;
  name?: string;
  input?: unknown;
  tool_use_id?: string;
  content?: string | { text?: string }[];
  is_error?: boolean;
}

export interface ToolResult {
  name: string;
  text: string;
  isError: boolean;
}

export function findQuestion(body: WireRequestBody): string {
  return questionAt(body, indexOfQuestion(body)) ?? "";
}

export function findResults(body: WireRequestBody): ToolResult[] {
  const messages = (body.messages ?? []).slice(Math.max(0, indexOfQuestion(body)));
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const names = new Map(
    blocks.filter((block) => block.type === "tool_use").map((block) => [block.id, block.name ?? ""]),
  );
  return blocks
    .filter((block) => block.type === "tool_result" && names.has(block.tool_use_id))
    .map((block) => ({
      name: names.get(block.tool_use_id) ?? "",
      text: toText(block.content),
      isError: block.is_error === true,
    }));
}

/** The last user message that holds a text: tool results come in user messages, too. */
function indexOfQuestion(body: WireRequestBody): number {
  return (body.messages ?? []).findLastIndex((_, index) => questionAt(body, index) !== undefined);
}

function questionAt(body: WireRequestBody, index: number): string | undefined {
  const { role, content } = body.messages?.[index] ?? {};
  if (role !== "user") return undefined;
  if (typeof content === "string") return content;
  // A steering message may share its message with tool results; it is the last text.
  return content?.findLast((block) => block.type === "text")?.text;
}

function toText(content: WireContent["content"]): string {
  return typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n");
}
