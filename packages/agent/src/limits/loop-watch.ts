/** Detects when a run repeats itself. */
import type { AssistantMessage, ToolResultMessage } from "pi-ai";
import type { LoopKind } from "../types/limit-event.js";

/** The parts of a turn that the loop detection compares. */
export interface WatchedTurn {
  message: AssistantMessage;
  toolResults: readonly ToolResultMessage[];
  /** The ids of the calls that had valid arguments. */
  valid: ReadonlySet<string>;
  /** Whether one of the tools polls. Such a turn never counts as a repetition. */
  polls: boolean;
}

/** A loop that was just detected. */
export interface NoticedLoop {
  loop: LoopKind;
  repeats: number;
}

/** A tool call and its result, as texts. */
interface SeenCall {
  asked: string;
  said: string;
  isError: boolean;
  isValid: boolean;
}

/** The longest sequence of rounds that is recognized as a cycle. */
const MAX_PERIOD = 4;

/** How many calls and results are remembered. */
const MAX_SEEN = 2000;

/** Of a longer text only the hash is kept. */
const MAX_TEXT = 1000;

export class LoopWatch {
  readonly #repeats: number;
  /** The latest rounds, the newest first. */
  #rounds: string[] = [];
  /** For each period (the index): for how many rounds in a row each round equalled the one that many rounds before it. */
  readonly #matches: number[] = new Array<number>(MAX_PERIOD + 1).fill(0);
  readonly #seen = new Set<string>();
  readonly #streaks = { invalid: 0, text: 0, failure: 0, noNews: 0 };
  #text = "";
  /** The errors of the latest round, if all of its calls failed. */
  #failure = "";

  constructor(repeats: number) {
    this.#repeats = repeats;
  }

  /** Adds a turn. Returns a loop as soon as it has repeated often enough, and then starts counting anew. */
  add(turn: WatchedTurn): NoticedLoop | undefined {
    const calls = toCalls(turn);
    const noticed = turn.polls ? undefined : (this.#findSequence(calls) ?? this.#findStreak(turn, calls));
    if (turn.polls || noticed) this.reset();
    return noticed;
  }

  /** Forgets the rounds so far: the next one does not count as a repetition. */
  reset(): void {
    this.#rounds = [];
    this.#matches.fill(0);
    this.#seen.clear();
    this.#text = "";
    this.#failure = "";
    Object.assign(this.#streaks, { invalid: 0, text: 0, failure: 0, noNews: 0 });
  }

  #findSequence(calls: readonly SeenCall[]): NoticedLoop | undefined {
    if (calls.length === 0) return undefined;
    // Sorted, so that the order of parallel calls does not matter.
    const parts = calls.map(({ asked, said }) => `${asked}\n${said}`);
    const round = shorten(parts.sort().join("\n"));
    let found: NoticedLoop | undefined;
    for (let period = 1; period <= MAX_PERIOD; period++) {
      const length = this.#rounds[period - 1] === round ? (this.#matches[period] ?? 0) + 1 : 0;
      this.#matches[period] = length;
      const repeats = Math.floor(length / period) + 1;
      if (repeats >= this.#repeats) found ??= { loop: period === 1 ? "same_call" : "cycle", repeats };
    }
    this.#rounds = [round, ...this.#rounds.slice(0, MAX_PERIOD - 1)];
    return found;
  }

  #findStreak({ message }: WatchedTurn, calls: readonly SeenCall[]): NoticedLoop | undefined {
    const streaks = this.#streaks;
    const text = shorten(textOf(message));
    const news = this.#remember(calls);
    const hasCalls = calls.length > 0;
    const count = (streak: number, goesOn: boolean): number => (goesOn ? streak + 1 : 0);
    streaks.invalid = count(streaks.invalid, hasCalls && calls.every(({ isValid }) => !isValid));
    const failure = calls.every(({ isError }) => isError) ? calls.map(({ said }) => said).join("\n") : "";
    streaks.failure = failure !== "" && failure === this.#failure ? streaks.failure + 1 : 1;
    this.#failure = failure;
    streaks.noNews = count(streaks.noNews, hasCalls && news === "old");
    streaks.text = text === this.#text && news === "old" ? streaks.text + 1 : 1;
    this.#text = text;
    const most = this.#repeats;
    if (streaks.invalid >= most) return { loop: "invalid_arguments", repeats: streaks.invalid };
    if (text !== "" && streaks.text >= most) return { loop: "same_text", repeats: streaks.text };
    // A model may look at the same thing twice for a good reason, so this takes one round more than the other loops.
    const repeats = Math.max(streaks.noNews, streaks.failure);
    return repeats > most ? { loop: "no_progress", repeats } : undefined;
  }

  /** Whether a round brought news: a new result, or a new call that succeeded, because that call had an effect. */
  #remember(calls: readonly SeenCall[]): "new" | "old" {
    let hasNews = false;
    for (const { asked, said, isError, isValid } of calls) {
      const isNew = !this.#seen.has(said) || !(isError || this.#seen.has(asked));
      if (isNew && isValid) hasNews = true;
      this.#seen.add(said).add(asked);
    }
    if (this.#seen.size > MAX_SEEN) this.#forgetOldest();
    return hasNews ? "new" : "old";
  }

  #forgetOldest(): void {
    for (const oldest of this.#seen) {
      if (this.#seen.size <= MAX_SEEN) return;
      this.#seen.delete(oldest);
    }
  }
}

function toCalls({ message, toolResults, valid }: WatchedTurn): SeenCall[] {
  if (toolResults.length === 0) return [];
  const argumentsOf = new Map<string, string>();
  for (const block of message.content) {
    if (block.type === "toolCall") argumentsOf.set(block.id, block.argumentsText ?? toText(block.arguments));
    else if (block.type === "serverTool") argumentsOf.set(block.id, toText(block.input ?? {}));
  }
  return toolResults.map(({ toolCallId, toolName, content, isError }) => ({
    asked: shorten(`${toolName} called with ${argumentsOf.get(toolCallId)}`),
    said: shorten(`${toolName} ${isError ? "failed" : "returned"} ${contentOf(content)}`),
    isError,
    isValid: valid.has(toolCallId),
  }));
}

/** Sorts the arguments by name, so that their order does not matter. */
function toText(args: Record<string, unknown>): string {
  const entries = Object.entries(args);
  if (entries.length > 1) entries.sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(entries);
}

function contentOf(content: ToolResultMessage["content"]): string {
  const [only, ...more] = content;
  return only?.type === "text" && more.length === 0 ? only.text : JSON.stringify(content);
}

function textOf({ content }: AssistantMessage): string {
  const texts = content.map((block) => (block.type === "text" ? block.text : ""));
  return texts.join("").trim();
}

/** Long texts are compared by their length and a 64-bit hash, so that they need not be kept. */
function shorten(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  let one = 0x811c9dc5;
  let other = 0x9e3779b9;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x85ebca6b) ^ (other >>> 15);
  }
  return `${text.slice(0, 40)} ${text.length} ${one} ${other}`;
}
