/** Conversations that continue with another model: ordinary ones, and those of hosts and imports. */
import type {
  AssistantMessage,
  FileContent,
  ImageContent,
  Message,
  TextContent,
  ToolResultMessage,
  UserBlock,
} from "pi-ai";
import { needsResult } from "../support/needs-result.js";
import { PICTURE } from "./script.js";
import type { Turns } from "./turns.internal.js";

export const IMAGE: ImageContent = { type: "image", mimeType: "image/png", data: PICTURE };

const PDF = file("application/pdf", "report.pdf", "JVBERi0xLjQK");
const NOTES = file("text/plain", "notes.txt", "VGhlIG51bWJlciBpcyA0Mi4=");
const SPEECH = file("audio/wav", "speech.wav", "UklGRiQAAABXQVZF");
const FILM = file("video/mp4", "film.mp4", "AAAAGGZ0eXBtcDQy");

/** @param own turns of the target model itself, for conversations that were with it before */
export function createConversations(turns: Turns, own: Turns): Record<string, Message[]> {
  const { parallel, lone, loneAgain, thoughtful, thoughtfulAgain, thoughtfulAtLast } = turns;
  return {
    "text, thinking and hidden thinking": [user("Hi"), thoughtful, user("Why?"), turns.hidden, user("And?")],
    "parallel calls and images": [
      user([{ type: "text", text: "What is this?" }, IMAGE]),
      parallel,
      ...resultsOf(parallel, [[text("a")], [text("seen"), IMAGE], [IMAGE]]),
      thoughtful,
      user("Thanks"),
    ],
    "an unfinished tool loop": [
      user("Go"),
      parallel,
      ...resultsOf(parallel, [[text("a")], [text("b")], [text("c")]]).reverse(),
      turns.hiddenCall,
      ...resultsOf(turns.hiddenCall, [[text("d")]]),
    ],
    "a tool loop that begins without thinking": [user("Go"), lone, ...resultsOf(lone, [[text("c")]])],
    "empty results": [
      user("Go"),
      parallel,
      ...resultsOf(parallel, [[], [text("")], [text("  ")]]),
      lone,
      ...resultsOf(lone, [[]], true),
      user("Well?"),
    ],
    "failed results with images": [
      user("Go"),
      parallel,
      ...resultsOf(parallel, [[IMAGE], [text("no"), IMAGE], []], true),
    ],
    "errors and interruptions": [
      user("Go"),
      turns.failed,
      ...resultsOf(turns.failed, [[text("Operation aborted")]], true),
      user("Again"),
      turns.aborted,
      ...resultsOf(turns.aborted, [[text("Operation aborted")]], true),
      user("Once more"),
      turns.empty,
      user("Hello?"),
    ],
    "an interruption after calls": [
      user("Go"),
      parallel,
      ...resultsOf(parallel, [[text("a")], [text("b")], [text("c")]]),
      turns.aborted,
      user("Stop, do something else"),
    ],
    "calls without results": [
      user("Go"),
      parallel,
      resultsOf(parallel, [[text("a")]])[0] as Message,
      user("Never mind"),
      lone,
    ],
    "a late result": [
      user("Go"),
      lone,
      user("Are you there?"),
      ...resultsOf(lone, [[text("late")]]),
      thoughtful,
      user("Ah"),
    ],
    "results without calls": [
      user("Go"),
      result("gone", "read", [text("lost")]),
      lone,
      ...resultsOf(lone, [[text("c")]]),
      ...resultsOf(lone, [[text("c, again")]]),
      user("So?"),
    ],
    "long ids": [
      user("Go"),
      turns.longIds,
      ...resultsOf(turns.longIds, [[text("e")], [text("f")]]),
      turns.sameId,
      ...resultsOf(turns.sameId, [[text("g")]]),
      user("Done?"),
    ],
    "thinking without text": [user("Go"), turns.thinkingOnly, user("Well?"), thoughtful, user("Well?")],
    "arguments that break off": [
      user("Go"),
      turns.cut,
      ...resultsOf(turns.cut, [[text("Not valid JSON")]], true),
      user("Again"),
    ],
    "empty and missing content": [
      user(""),
      user([]),
      thoughtful,
      user(null),
      { ...thoughtful, content: nothing() },
      { ...thoughtful, content: nothing("a bare string") },
      user([text(" "), text("Go")]),
      lone,
      result(idsOf(lone)[0] ?? "", "read", nothing()),
      user(undefined),
      thoughtfulAgain,
      { ...thoughtful, content: [text(""), text(" \n")] },
      user("Go on"),
    ],
    "consecutive responses": [
      thoughtful,
      lone,
      ...resultsOf(lone, [[text("c")]]),
      thoughtfulAgain,
      thoughtfulAtLast,
      loneAgain,
      turns.hidden,
      user("Go on"),
    ],
    "lone surrogates": [
      user("\ud83d lone"),
      { ...lone, content: [text("\udc00 lone"), ...lone.content.map(withHalfCharacter)] },
      ...resultsOf(lone, [[text("lone \ud83d")]]),
    ],
    "there and back": [
      user("Go"),
      own.parallel,
      ...resultsOf(own.parallel, [[text("a")], [text("b"), IMAGE], [text("c")]]),
      lone,
      ...resultsOf(lone, [[text("d")]]),
      own.thoughtful,
      user("Go on"),
      own.hidden,
      user("And then?"),
      turns.hiddenCall,
      ...resultsOf(turns.hiddenCall, [[text("e")]]),
      own.hiddenCall,
      ...resultsOf(own.hiddenCall, [[text("f")]]),
    ],
    "files in": [
      user([text("Read these"), PDF, NOTES, SPEECH, FILM]),
      parallel,
      ...resultsOf(parallel, [[PDF], [text("notes"), NOTES, IMAGE], [SPEECH, FILM]]),
      user([NOTES]),
      lone,
      ...resultsOf(lone, [[PDF, text("no")]], true),
    ],
    "what a provider did, cited and made": [
      user("Go"),
      turns.own,
      user("And?"),
      turns.ownCall,
      ...resultsOf(turns.ownCall, [[text("h")]]),
      turns.ownAgain,
      user([IMAGE, PDF]),
    ],
    "every kind of content": [
      user("Go"),
      turns.written,
      ...resultsOf(turns.written, [[text("a.txt")]]),
      thoughtful,
      user("And?"),
      own.own,
      user("Again"),
      turns.written,
    ],
    "its own tools, and those of another": [
      user("Go"),
      own.ownCall,
      ...resultsOf(own.ownCall, [[text("a"), IMAGE]]),
      turns.own,
      user("Go on"),
      turns.ownCall,
      ...resultsOf(turns.ownCall, [[text("b")]]),
    ],
    "tools that wait": [
      user("Go"),
      ...waitingOf(turns.waiting, [text("Patched")]),
      user("More"),
      ...waitingOf(own.waiting, [text("Patched too"), IMAGE]),
      ...waitingOf(turns.waitingAgain, undefined),
      user("Never mind"),
    ],
    "back after its own interruption": [
      user("Go"),
      own.aborted,
      user("Go"),
      turns.thinkingOnly,
      user("Go"),
      own.thinkingOnly,
      user("Go"),
    ],
  };
}

export function user(content: string | UserBlock[] | null | undefined): Message {
  // Imported transcripts contain what the types exclude.
  return { role: "user", content, timestamp: 0 } as Message;
}

function text(value: string): TextContent {
  return { type: "text", text: value };
}

/** Values that the types exclude and imported transcripts contain. */
function nothing(value: unknown = null): never[] {
  return value as never[];
}

function idsOf(message: AssistantMessage): string[] {
  return message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []));
}

/** JSON can express lone surrogates, UTF-8 cannot. */
function withHalfCharacter(block: AssistantMessage["content"][number]): AssistantMessage["content"][number] {
  if (block.type !== "toolCall") return block;
  return { ...block, arguments: { path: "\ud83d", deep: [{ "key \udc00": "\ud83d" }] } };
}

/** A turn with a tool that waits, and its result; nothing if the wire format has no such tools. */
function waitingOf(waiting: AssistantMessage | undefined, content: UserBlock[] | undefined): Message[] {
  if (!waiting) return [];
  return content ? [waiting, ...resultsOf(waiting, [content])] : [waiting];
}

function file(mimeType: string, name: string, data: string): FileContent {
  return { type: "file", mimeType, name, data };
}

/** The results of a message's tool calls, one for each given content. */
function resultsOf(message: AssistantMessage, contents: UserBlock[][], isError = false): Message[] {
  const calls = message.content.filter(needsResult);
  return contents.flatMap((content, index) => {
    const call = calls[index];
    return call ? [result(call.id, call.name, content, isError)] : [];
  });
}

function result(id: string, name: string, content: UserBlock[], isError = false): ToolResultMessage {
  return { role: "toolResult", toolCallId: id, toolName: name, content, isError, timestamp: 0 };
}
