/** Sends the requests of a session as threads: the server keeps the conversation, and each request carries what is new. */
import { PiError } from "../errors.js";
import type { RequestNote, WireRequest } from "../transport/index.js";
import type { AssistantMessage, Message } from "../types/message.js";
import { isRecord } from "../utils/is-object.js";
import type { ApiRequest, VendorAdapter } from "./api-adapter.js";
import { KeptConversation, type ThreadRow } from "./kept-conversation.js";
import { omittedOption } from "./omitted-options.js";

/** One request of a thread, from its body to its answer. */
export class RequestThread {
  readonly #row: ThreadRow;
  readonly #kept: KeptConversation;
  readonly #messages: readonly Message[];
  /** The whole request; undefined while it is sent without a thread. */
  #whole: WireRequest | undefined;
  #resumes = false;

  constructor(row: ThreadRow, kept: KeptConversation, messages: readonly Message[]) {
    this.#row = row;
    this.#kept = kept;
    this.#messages = messages;
  }

  /** The request in the form in which it is sent. */
  begin(whole: WireRequest): WireRequest {
    const { body } = whole;
    if (this.#kept.isRefused || !isRecord(body)) return whole;
    this.#whole = whole;
    const next = this.#kept.take(whole, this.#messages);
    if (!next) return this.#create();
    this.#resumes = true;
    const fields = Object.entries(body).filter(([name]) => !this.#row.kept.includes(name));
    const rest = { ...Object.fromEntries(fields), [this.#row.field]: next.entries };
    return this.#row.resume(whole, rest, next.answerId);
  }

  /** The whole request after a refusal of the thread: in another thread, or without one. Undefined if the error stands. */
  correct(error: unknown): { wireRequest: WireRequest; reason: string } | undefined {
    const whole = this.#whole;
    const reason = whole && PiError.is(error) ? this.#row.codeOf(error) : undefined;
    if (!whole || reason === undefined) return undefined;
    if (this.#resumes && this.#row.codes[reason] === "again") return { wireRequest: this.#create(), reason };
    this.#kept.refuse();
    this.leave();
    return { wireRequest: whole, reason };
  }

  /** The whole request, to be sent without a thread. Undefined if it was. */
  leave(): WireRequest | undefined {
    const whole = this.#whole;
    this.#whole = undefined;
    return whole;
  }

  /** Remembers the answer for the next request of the session. */
  end(message: AssistantMessage): void {
    if (this.#whole) this.#kept.keep(this.#whole, message);
  }

  #create(): WireRequest {
    this.#resumes = false;
    const whole = this.#whole as WireRequest; // set by `begin`, which comes before
    return this.#row.create(whole, Object(whole.body));
  }
}

/** The thread of a request that asks for one, and a diagnostic if it can have none. */
export function openThread(
  { thread }: VendorAdapter,
  { model, options }: ApiRequest,
  messages: readonly Message[],
): { thread?: RequestThread; notes: RequestNote[] } {
  if (!thread?.isKept(model, options)) return { notes: [omittedOption("conversation", "no_field_in_api")] };
  const { sessionId } = options;
  if (!sessionId) return { notes: [omittedOption("conversation", "needs_session_id")] };
  return { thread: new RequestThread(thread, new KeptConversation(thread, sessionId, model), messages), notes: [] };
}
