/** Detects when a run repeats itself. */
import type { AssistantMessage, ToolResultMessage } from "pi-ai";
import type { LoopKind } from "../types/limit-event.js";
import { addHashes, ContentHash } from "./content-hash.js";

/** The parts of a turn that the loop detection compares. */
export interface WatchedTurn {
  message: AssistantMessage;
  toolResults: readonly ToolResultMessage[];
  /** The ids of the calls that had valid arguments. */
  valid: readonly string[];
  /** Whether one of the tools polls. Such a turn never counts as a repetition. */
  polls: boolean;
}

/** A loop that was just detected. */
export interface NoticedLoop {
  loop: LoopKind;
  repeats: number;
}

/** The longest sequence of rounds that is recognized as a cycle. */
const MAX_PERIOD = 4;

/** The least number of calls and results that are remembered; at most twice as many are. */
const MIN_SEEN = 1000;

export class LoopWatch {
  readonly #repeats: number;
  readonly #hash = new ContentHash();
  // What the current round is compared by. Fields instead of an object, since there is a round in each turn.
  /** The hash of all calls with their results; the order of parallel calls does not matter. */
  #key = 0;
  #hasCalls = false;
  /** Whether there was a new result, or a new call that succeeded, because that call had an effect. */
  #hasNews = false;
  #allInvalid = true;
  /** The hash of the errors if all calls failed, otherwise 0. */
  #failure = 0;
  /** The latest rounds: the one of turn n is at n modulo the length. */
  readonly #rounds: number[] = new Array<number>(MAX_PERIOD).fill(-1);
  #turn = 0;
  /** For each period (the index): for how many rounds in a row each round equalled the one that many rounds before it. */
  readonly #matches: number[] = new Array<number>(MAX_PERIOD + 1).fill(0);
  /** Calls and results, the latest ones and those before. Two sets, because removing the oldest of one set is slow. */
  #seen = new Set<number>();
  #seenBefore = new Set<number>();
  readonly #streaks = { invalid: 0, text: 0, failure: 0, noNews: 0 };
  #text = "";
  /** The `#failure` of the previous round. */
  #failureBefore = 0;

  constructor(repeats: number) {
    this.#repeats = repeats;
  }

  /** Adds a turn. Returns a loop as soon as it has repeated often enough, and then starts counting anew. */
  add(turn: WatchedTurn): NoticedLoop | undefined {
    if (turn.polls) {
      this.reset();
      return undefined;
    }
    this.#read(turn);
    const noticed = this.#findSequence() ?? this.#findStreak(textOf(turn.message));
    if (noticed) this.reset();
    return noticed;
  }

  /** Forgets the rounds so far: the next one does not count as a repetition. */
  reset(): void {
    this.#rounds.fill(-1);
    this.#matches.fill(0);
    this.#seen.clear();
    this.#seenBefore.clear();
    this.#text = "";
    this.#failureBefore = 0;
    Object.assign(this.#streaks, { invalid: 0, text: 0, failure: 0, noNews: 0 });
  }

  #read({ message, toolResults, valid }: WatchedTurn): void {
    const hash = this.#hash;
    this.#key = 0;
    this.#failure = 0;
    this.#hasCalls = toolResults.length > 0;
    this.#hasNews = false;
    this.#allInvalid = true;
    let allFailed = true;
    // Each call that was not refused is in `valid` once.
    const refused = valid.length === toolResults.length ? undefined : new Set(valid);
    let place = -1;
    for (const { toolCallId, toolName, content, isError } of toolResults) {
      // The results are in the order of the calls, so the search goes on behind the last one.
      place = findCall(message.content, toolCallId, place);
      addArguments(hash.addText(toolName), message.content[place]);
      const asked = hash.take();
      addContent(hash.addText(toolName).addNumber(isError ? 1 : 0), content);
      const said = hash.take();
      this.#key = addHashes(this.#key, hash.addNumber(asked).addNumber(said).take());
      const isValid = refused?.has(toolCallId) ?? true;
      if (isValid) this.#allInvalid = false;
      if (isError) this.#failure = addHashes(this.#failure, said);
      else allFailed = false;
      if (this.#addSeen(asked, said, isError) && isValid) this.#hasNews = true;
    }
    if (!allFailed) this.#failure = 0;
    if (this.#seen.size > MIN_SEEN) this.#forgetOldest();
  }

  #findSequence(): NoticedLoop | undefined {
    const key = this.#key;
    if (!this.#hasCalls) return undefined;
    const turn = this.#turn++;
    let found: NoticedLoop | undefined;
    for (let period = 1; period <= MAX_PERIOD; period++) {
      const before = this.#rounds[(turn + MAX_PERIOD - period) % MAX_PERIOD];
      const length = before === key ? (this.#matches[period] ?? 0) + 1 : 0;
      this.#matches[period] = length;
      const repeats = Math.floor(length / period) + 1;
      if (repeats >= this.#repeats) found ??= { loop: period === 1 ? "same_call" : "cycle", repeats };
    }
    this.#rounds[turn % MAX_PERIOD] = key;
    return found;
  }

  #findStreak(text: string): NoticedLoop | undefined {
    const failure = this.#failure;
    const hasCalls = this.#hasCalls;
    const hasNews = this.#hasNews;
    const streaks = this.#streaks;
    streaks.invalid = hasCalls && this.#allInvalid ? streaks.invalid + 1 : 0;
    streaks.failure = failure !== 0 && failure === this.#failureBefore ? streaks.failure + 1 : 1;
    this.#failureBefore = failure;
    streaks.noNews = hasCalls && !hasNews ? streaks.noNews + 1 : 0;
    streaks.text = text === this.#text && !hasNews ? streaks.text + 1 : 1;
    this.#text = text;
    const most = this.#repeats;
    if (streaks.invalid >= most) return { loop: "invalid_arguments", repeats: streaks.invalid };
    if (text !== "" && streaks.text >= most) return { loop: "same_text", repeats: streaks.text };
    // A model may look at the same thing twice for a good reason, so this takes one round more than the other loops.
    const repeats = Math.max(streaks.noNews, streaks.failure);
    return repeats > most ? { loop: "no_progress", repeats } : undefined;
  }

  /** Returns whether a result is new, or a call that succeeded: that call had an effect. */
  #addSeen(asked: number, said: number, isError: boolean): boolean {
    // 32 bits, which a set finds much faster. Two hashes of 2,000 may be equal then, but never those of whole rounds.
    const call = asked | 0;
    const result = said | 0;
    const isNew = !this.#hasSeen(result) || !(isError || this.#hasSeen(call));
    this.#seen.add(result).add(call);
    return isNew;
  }

  #hasSeen(hash: number): boolean {
    return this.#seen.has(hash) || this.#seenBefore.has(hash);
  }

  #forgetOldest(): void {
    const forgotten = this.#seenBefore;
    forgotten.clear();
    this.#seenBefore = this.#seen;
    this.#seen = forgotten;
  }
}

/** Returns the place of a call in a response, or -1. Looks behind `before` first. */
function findCall(content: AssistantMessage["content"], id: string, before: number): number {
  for (let step = 1; step <= content.length; step++) {
    const place = (before + step) % content.length;
    const block = content[place];
    if ((block?.type === "toolCall" || block?.type === "serverTool") && block.id === id) return place;
  }
  return -1;
}

function addArguments(hash: ContentHash, call: AssistantMessage["content"][number] | undefined): void {
  if (call?.type === "toolCall") {
    if (call.argumentsText === undefined) hash.addJson(call.arguments);
    else hash.addText(call.argumentsText);
  } else if (call?.type === "serverTool") hash.addJson(call.input ?? {});
}

function addContent(hash: ContentHash, content: ToolResultMessage["content"]): void {
  const only = content[0];
  if (only?.type === "text" && content.length === 1) hash.addText(only.text);
  else hash.addJson(content);
}

function textOf({ content }: AssistantMessage): string {
  let texts = "";
  for (const block of content) if (block.type === "text") texts += block.text;
  return texts.trim();
}
