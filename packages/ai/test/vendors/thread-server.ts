/** A double of Anthropic's message threads: it keeps conversations, refuses as the vendor does, and else answers from a script. */
import { sseEvent } from "../support/sse.js";
import { type Fields, listOf } from "../validators/faults.js";
import { type StoredThread, THREAD_RULES, type ThreadRequest } from "./thread-rules.js";
import { refuse, vendorNamed } from "./vendors.js";

export interface ThreadExchange {
  /** As it was sent. */
  body: Fields;
  betas: string;
  /** The rule that refused it, and the vendor's code. */
  refused?: { id: string; code?: string | undefined };
  /** What the model reads: the whole request without `thread`. */
  whole?: Fields;
}

export interface Answer {
  content: Fields[];
  stop: "end_turn" | "tool_use" | "pause_turn" | "refusal" | "max_tokens";
  /** The connection breaks after the first block. */
  breaks?: boolean;
}

export class ThreadServer {
  readonly exchanges: ThreadExchange[] = [];
  /** Answers of the next requests; each is made from the whole request. */
  answer: (whole: Fields) => Answer | Promise<Answer> = () => ({
    content: [{ type: "text", text: "Yes" }],
    stop: "end_turn",
  });
  /** Refuses the next request in place of the rules. */
  refuseNext: { status: number; code?: string; message: string } | undefined;
  readonly #threads = new Map<string, StoredThread>();
  readonly #now: () => number;
  #answers = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get last(): ThreadExchange {
    const last = this.exchanges.at(-1);
    if (!last) throw new Error("No request has come");
    return last;
  }

  /** Forgets every conversation, as a restart does. */
  forget(): void {
    this.#threads.clear();
  }

  /** Changes what the server knows of every conversation. */
  mark(state: Partial<StoredThread>): void {
    for (const thread of this.#threads.values()) Object.assign(thread, state);
  }

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const body = (await request.json()) as Fields; // the library sends objects
    const betas = request.headers.get("anthropic-beta") ?? "";
    const exchange: ThreadExchange = { body, betas };
    this.exchanges.push(exchange);
    const forced = this.refuseNext;
    this.refuseNext = undefined;
    // The codes are those of threads.
    if (forced && (body["thread"] || !forced.code)) {
      exchange.refused = { id: "forced", code: forced.code };
      return refusal(forced.status, forced.message, forced.code);
    }
    const { thread, ...rest } = body;
    const { previous_message_id: id } = (thread ?? {}) as Fields;
    const stored = this.#threads.get(String(id));
    const asked: ThreadRequest = { body, betas, stored, now: this.#now() };
    const broken = THREAD_RULES.find((rule) => rule.certainty !== "supposed" && rule.breaks(asked));
    if (broken) {
      exchange.refused = { id: broken.id, code: broken.code };
      return refusal(broken.status ?? 400, broken.says, broken.code);
    }
    const whole = stored ? join(stored.whole, rest) : rest;
    const wrong = refuse(vendorNamed("anthropic"), whole, String(whole["model"]));
    if (wrong) {
      exchange.refused = { id: wrong.rule.id };
      return refusal(wrong.status, wrong.words);
    }
    exchange.whole = whole;
    if (stored) stored.isInFlight = true;
    const answer = await this.answer(whole);
    if (stored) Object.assign(stored, { isInFlight: false, isContinued: true });
    return this.#respond(whole, answer, thread !== undefined);
  };

  #respond(whole: Fields, { content, stop, breaks }: Answer, isThread: boolean): Response {
    const id = `msg_${this.#answers++}`;
    const messages = [...listOf(whole["messages"]), { role: "assistant", content }];
    const kept = { ...whole, messages };
    if (isThread && !breaks)
      this.#threads.set(id, {
        ...{ whole: kept, isContinued: false, isInFlight: false },
        ends: this.#now() + 300_000,
      });
    const events = eventsOf(id, content, stop);
    const sent = breaks ? events.slice(0, 3) : events;
    return new Response(sent.map((event) => sseEvent(event, String(event["type"]))).join(""), {
      headers: { "content-type": "text/event-stream" },
    });
  }
}

function join(kept: Fields, next: Fields): Fields {
  return {
    ...withoutMarks(kept),
    ...next,
    messages: [...listOf(withoutMarks(kept)["messages"]), ...listOf(next["messages"])],
  };
}

/** The marks of earlier requests: how the server counts them is not documented. */
export function withoutMarks(body: Fields): Fields {
  return JSON.parse(JSON.stringify(body, (name, value) => (name === "cache_control" ? undefined : value)));
}

function refusal(status: number, message: string, code?: string): Response {
  const type = status === 404 ? "not_found_error" : "invalid_request_error";
  const details = code === undefined ? {} : { details: { error_code: code } };
  return Response.json({ type: "error", error: { type, message, ...details } }, { status });
}

function eventsOf(id: string, content: readonly Fields[], stop: string): Fields[] {
  const usage = { input_tokens: 10, output_tokens: 5 };
  return [
    { type: "message_start", message: { id, type: "message", role: "assistant", content: [], usage } },
    ...content.flatMap((block, index) => blockEvents(block, index)),
    { type: "message_delta", delta: { stop_reason: stop }, usage },
    { type: "message_stop" },
  ];
}

function blockEvents(block: Fields, index: number): Fields[] {
  const { type, text, thinking, signature, input } = block;
  const empty: Record<string, Fields> = {
    text: { type, text: "" },
    thinking: { type, thinking: "", signature: "" },
    tool_use: { ...block, input: {} },
  };
  const deltas: Record<string, Fields[]> = {
    text: [{ type: "text_delta", text }],
    thinking: [
      { type: "thinking_delta", thinking },
      { type: "signature_delta", signature },
    ],
    tool_use: [{ type: "input_json_delta", partial_json: JSON.stringify(input) }],
  };
  return [
    { type: "content_block_start", index, content_block: empty[String(type)] ?? block },
    ...(deltas[String(type)] ?? []).map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}
