/** The next response of the scripted model: it calls tools first, then reports their real results. */
import { findQuestion, findResults, type ToolResult, type WireRequestBody } from "./scripted-request.ts";

export interface ScriptedResponse {
  thinking?: string;
  text: string;
  calls: { id: string; name: string; input: object }[];
}

const SCRIPTED = "(I am a script, not a model: set a key to ask a real one.)";
const WANTS_NOTE = /\b(save|note|write down)\b/i;
const GREETING = /^(hi|hello|hey|good (morning|evening|day)|thanks?|thank you|who are you|what can you do)\b/i;
const FILE_NAME = /(?:[\w.-]+\/)*[\w-]+\.[a-z]{1,5}\b/i;
const QUOTED = /[`"']([^`"']{2,})[`"']/;
/** A name as code writes it: camelCase, PascalCase or snake_case. */
const CODE_NAME = /\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|\w+_\w+)\b/;
const ABOUT_FILES = /\b(files|folders?|structure|overview|what is in|what's in|list|how many)\b/i;
/** Words that are too common to identify the subject. */
const COMMON =
  /^(about|again|also|answer|are|class|classes|code|defined|does|explain|file|files|find|folder|give|have|how|into|its|look|many|me|note|notes|please|project|read|save|search|show|tell|that|the|then|there|this|used|what|when|where|which|who|why|with|write|you|your)$/i;

export function nextResponse(body: WireRequestBody): ScriptedResponse {
  const question = findQuestion(body);
  const results = findResults(body);
  if (GREETING.test(question.trim())) {
    return say(
      `Hello! I can list the files of this folder, read them and search them. Ask me where something is. ${SCRIPTED}`,
    );
  }
  const listing = results.find((result) => result.name === "list_files");
  if (!listing) {
    return {
      thinking: "A list of the files shows me where to look.",
      text: "Let me look at the files first.",
      calls: [{ id: callId(body, "list"), name: "list_files", input: { path: "." } }],
    };
  }
  const files = filesOf(listing);
  if (files.length === 0) return say(`The folder holds no files that I can read. ${SCRIPTED}`);
  const file = fileToRead(question, files);
  const wanted = searchWord(question);
  const looked = results.filter((result) => result !== listing);
  if (looked.length > 0) {
    const found = conclude(question, files, looked, { file, wanted });
    return WANTS_NOTE.test(question) ? saveNote(body, files, results, found) : say(`${found}\n${SCRIPTED}`);
  }
  const search = { id: callId(body, "search"), name: "search_text", input: { text: wanted } };
  const calls = [
    { id: callId(body, "read"), name: "read_file", input: { path: file } },
    ...(wanted === undefined ? [] : [search]),
  ];
  return {
    thinking: `The list has ${files.length} files. I read ${file}${wanted === undefined ? "" : ` and search for "${wanted}" at the same time`}.`,
    text: wanted === undefined ? `Now I read ${file}.` : `Now I read ${file} and search for "${wanted}".`,
    calls,
  };
}

/** Saves what it has found, and reports what came of it. */
function saveNote(body: WireRequestBody, files: string[], results: ToolResult[], found: string): ScriptedResponse {
  const saved = results.find((result) => result.name === "save_note");
  if (saved) return say(`${saved.isError ? "I did not save it: " : ""}${saved.text}.\n${SCRIPTED}`);
  const names = ["notes.md", ...files.map((_, index) => `notes-${index + 2}.md`)];
  const path = names.find((name) => !files.includes(name));
  return {
    text: `${found}\nI save that.`,
    calls: [{ id: callId(body, "save"), name: "save_note", input: { path, text: found } }],
  };
}

function say(text: string): ScriptedResponse {
  return { text, calls: [] };
}

/** Ids differ from turn to turn, as those of a real model do. */
function callId(body: WireRequestBody, name: string): string {
  return `call_${name}_${body.messages?.length ?? 0}`;
}

interface Plan {
  file: string;
  wanted: string | undefined;
}

function conclude(question: string, files: string[], results: ToolResult[], { file, wanted }: Plan): string {
  const reading = results.find((result) => result.name === "read_file");
  const search = results.find((result) => result.name === "search_text");
  const sentences: string[] = [];
  if (ABOUT_FILES.test(question)) sentences.push(describeFolder(files));
  if (search && wanted !== undefined) sentences.push(describeMatches(search, wanted));
  if (reading) sentences.push(describeFile(reading, file));
  return sentences.join("\n");
}

function describeFolder(files: string[]): string {
  const folders = [...new Set(files.flatMap((file) => (file.includes("/") ? [file.slice(0, file.indexOf("/"))] : [])))];
  const inFolders = folders.length > 0 ? ` in ${folders.length} folders (${folders.join(", ")})` : "";
  return `The folder holds ${files.length} ${files.length === 1 ? "file" : "files"}${inFolders}.`;
}

function describeMatches(search: ToolResult, wanted: string): string {
  const places = search.isError ? [] : search.text.split("\n").filter((line) => /:\d+: /.test(line));
  if (places.length === 0) return `"${wanted}" does not occur.`;
  const found = new Set(places.map((line) => line.split(":")[0]));
  const shown = places.slice(0, 3).map((line) => `  ${line}`);
  const inFiles = `${found.size} ${found.size === 1 ? "file" : "files"}`;
  return [`"${wanted}" occurs ${places.length} times in ${inFiles}, first here:`, ...shown].join("\n");
}

function describeFile(reading: ToolResult, file: string): string {
  if (reading.isError) return `I could not read ${file}: ${reading.text}`;
  const lines = reading.text.split("\n");
  const first = lines.find((line) => /\w{3,}/.test(line) && !line.startsWith("#") && !line.startsWith("```"));
  return `${file} says: "${(first ?? reading.text.slice(0, 80)).trim()}"`;
}

function filesOf(listing: ToolResult): string[] {
  return listing.isError ? [] : listing.text.split("\n").filter((line) => line !== "" && line !== "(no files)");
}

/** The file that the question names, else the one that most likely explains the folder. */
function fileToRead(question: string, files: string[]): string {
  const named = FILE_NAME.exec(question)?.[0];
  const match = named === undefined ? undefined : files.find((file) => file === named || file.endsWith(`/${named}`));
  const readme = files.find((file) => /^readme/i.test(file)) ?? files.find((file) => file === "package.json");
  return match ?? readme ?? files[0] ?? ".";
}

/** What to search for: a quoted text, a name as code writes it, or the longest word that is not common. */
function searchWord(question: string): string | undefined {
  if (/\berror class/i.test(question)) return "extends Error";
  const exact = QUOTED.exec(question)?.[1] ?? CODE_NAME.exec(question)?.[0];
  if (exact !== undefined) return exact;
  const words = (question.replace(FILE_NAME, "").match(/[\p{L}\d]{4,}/gu) ?? []).filter((word) => !COMMON.test(word));
  return words.sort((a, b) => b.length - a.length)[0];
}
