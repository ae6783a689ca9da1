/** What the scripted model says next: first it looks around, then it answers from what the tools really returned. */

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

export interface ScriptedResponse {
  thinking?: string;
  text: string;
  calls: { id: string; name: string; input: object }[];
}

interface ToolResult {
  name: string;
  text: string;
  isError: boolean;
}

export function nextResponse(body: WireRequestBody): ScriptedResponse {
  const results = findResults(body);
  const listing = results.find((result) => result.name === "list_files");
  const reading = results.find((result) => result.name === "read_file");
  const search = results.find((result) => result.name === "search_text");
  const question = findQuestion(body);
  if (!listing) {
    return {
      thinking: "I do not know this folder yet. A list of its files tells me where to look.",
      text: "Let me look at the files first.",
      calls: [{ id: "call_list", name: "list_files", input: { path: "." } }],
    };
  }
  if (!reading || !search) {
    const wanted = searchWord(question);
    return {
      thinking: `The list has ${countLines(listing.text)} files. I read the one that explains the rest, and search for "${wanted}" at the same time.`,
      text: "Now I read the most telling file, and search.",
      calls: [
        { id: "call_read", name: "read_file", input: { path: tellingFile(listing.text) } },
        { id: "call_search", name: "search_text", input: { text: wanted } },
      ],
    };
  }
  return { text: conclude(listing, reading, search, searchWord(question)), calls: [] };
}

function conclude(listing: ToolResult, reading: ToolResult, search: ToolResult, wanted: string): string {
  const files = listing.text.split("\n");
  const folders = new Set(files.filter((file) => file.includes("/")).map((file) => file.slice(0, file.indexOf("/"))));
  const about =
    reading.text.split("\n").find((line) => line.trim() !== "" && !line.startsWith("#")) ?? reading.text.slice(0, 80);
  const places = search.isError ? [] : search.text.split("\n").filter((line) => /:\d+: /.test(line));
  const found = new Set(places.map((line) => line.split(":")[0]));
  return [
    `The folder holds ${files.length} files in ${folders.size} folders at the top (${[...folders].join(", ")}).`,
    `${tellingFile(listing.text)} says: "${about.trim()}"`,
    places.length === 0
      ? `"${wanted}" does not occur.`
      : `"${wanted}" occurs ${places.length} times in ${found.size} files, first in ${places[0]}`,
    "(This answer was put together by a script from the tools' results; set a key to ask a real model.)",
  ].join("\n");
}

/** The results so far, with the names of the tools that gave them. */
function findResults(body: WireRequestBody): ToolResult[] {
  const blocks = (body.messages ?? []).flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const names = new Map(
    blocks.filter((block) => block.type === "tool_use").map((block) => [block.id, block.name ?? ""]),
  );
  return blocks
    .filter((block) => block.type === "tool_result")
    .map((block) => ({
      name: names.get(block.tool_use_id) ?? "",
      text: toText(block.content),
      isError: block.is_error === true,
    }));
}

function findQuestion(body: WireRequestBody): string {
  const first = body.messages?.find((message) => message.role === "user")?.content;
  return typeof first === "string" ? first : (first?.find((block) => block.type === "text")?.text ?? "");
}

/** The file that most likely explains a folder. */
function tellingFile(listing: string): string {
  const files = listing.split("\n");
  return (
    files.find((file) => /^readme/i.test(file)) ?? files.find((file) => file === "package.json") ?? files[0] ?? "."
  );
}

/** A word of the question that looks like a name in code; a class of errors where nothing does. */
function searchWord(question: string): string {
  return (
    /`([^`]+)`/.exec(question)?.[1] ??
    /\b[a-z]+[A-Z]\w+\b|\b[A-Z][a-z]+[A-Z]\w+\b/.exec(question)?.[0] ??
    "extends Error"
  );
}

function toText(content: WireContent["content"]): string {
  return typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n");
}

function countLines(text: string): number {
  return text.split("\n").length;
}
