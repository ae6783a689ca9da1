/** A provider that compacts conversations on its server. It checks each request, and refuses one that is too long. */
import type { Model } from "pi-ai";
import type { Party } from "../../ai/test/handoff/parties.js";
import { opaque, type Script, type Step } from "../../ai/test/handoff/script.js";
import { sseEvent } from "../../ai/test/support/sse.js";
import { findFaults } from "../../ai/test/validators/validators.js";

type Fields = Record<string, unknown>;

/** What differs between the vendors that compact. */
interface Vendor {
  /** The blocks or items of a request, in their order. */
  items(body: Fields): Fields[];
  threshold(body: Fields): unknown;
  /** Whether a response ends after a compaction. */
  pauses(body: Fields): boolean;
  /** Adds the usage and the stop reason to an event that has them, as the vendor does. */
  report(event: Fields, facts: { before: number; after: number; pauses: boolean }): Fields;
  /** The steps of a response that compacts. */
  order(compaction: Step, steps: readonly Step[]): Step[];
}

const ANTHROPIC: Vendor = {
  items: ({ messages }) => fieldsIn(messages).flatMap(({ content }) => fieldsIn(content)),
  threshold: ({ context_management: management }) => {
    const [edit] = fieldsIn(fieldsOf(management)["edits"]);
    return fieldsOf(edit?.["trigger"])["value"];
  },
  pauses: ({ context_management: management }) =>
    fieldsIn(fieldsOf(management)["edits"])[0]?.["pause_after_compaction"] === true,
  report: (event, { after, pauses }) => {
    if (event["type"] !== "message_delta") return event;
    const delta = { ...fieldsOf(event["delta"]), ...(pauses ? { stop_reason: "compaction" } : {}) };
    return { ...event, delta, usage: { input_tokens: after, output_tokens: 50, cache_read_input_tokens: 0 } };
  },
  order: (compaction, steps) => [compaction, ...steps],
};

/** As recorded: the usage of a response that compacts has the prompt before the compaction, and the item follows the text. */
const RESPONSES: Vendor = {
  items: ({ input }) => fieldsIn(input),
  threshold: ({ context_management: management }) => fieldsIn(management)[0]?.["compact_threshold"],
  pauses: () => false,
  report: (event, { before }) => {
    if (event["type"] !== "response.completed") return event;
    const usage = { input_tokens: before, output_tokens: 50, total_tokens: before + 50 };
    return { ...event, response: { ...fieldsOf(event["response"]), usage } };
  },
  order: (compaction, steps) => {
    const call = steps.findIndex(({ kind }) => kind === "call");
    return call === -1 ? [...steps, compaction] : [...steps.slice(0, call), compaction, ...steps.slice(call)];
  },
};

const VENDORS: Readonly<Record<string, Vendor>> = {
  "anthropic-messages": ANTHROPIC,
  "openai-responses": RESPONSES,
  "azure-openai-responses": RESPONSES,
};

/** The tokens of a summary. */
const SUMMARY_TOKENS = 100;

export class CompactingServer {
  readonly faults: string[] = [];
  /** The opaque data of each compaction. */
  readonly compactions: string[] = [];
  /** The largest body, in characters. */
  largestBody = 0;
  /** How many requests began with the latest compaction. */
  used = 0;
  responses = 0;
  readonly #party: Party;
  readonly #model: Model;
  readonly #vendor: Vendor;

  constructor(party: Party, model: Model) {
    const vendor = VENDORS[model.api];
    if (!vendor) throw new Error(`${model.api} does not compact`);
    this.#party = party;
    this.#model = model;
    this.#vendor = vendor;
  }

  readonly fetch: typeof globalThis.fetch = async (_input, init) => {
    const text = String(init?.body);
    const body: Fields = JSON.parse(text);
    this.faults.push(...findFaults(this.#model.api, body, this.#model));
    this.largestBody = Math.max(this.largestBody, text.length);
    const tokens = this.#read(body);
    if (tokens <= this.#model.contextWindow) return this.#respond(body, tokens);
    this.faults.push(`${tokens} tokens do not fit`);
    return new Response('{"error":{"message":"prompt is too long"}}', { status: 400 });
  };

  /** Counts the tokens from the latest compaction on. */
  #read(body: Fields): number {
    const items = this.#vendor.items(body);
    const start = items.findLastIndex(({ type }) => type === "compaction");
    const latest = this.compactions.at(-1);
    if (latest !== undefined) {
      const compaction = items[start];
      if (compaction?.["encrypted_content"] === latest) this.used++;
      else this.faults.push("the latest compaction does not come back");
    }
    const rest = items.slice(start + 1).reduce((sum, item) => sum + JSON.stringify(item).length / 4, 0);
    return Math.ceil(rest) + (start === -1 ? 0 : SUMMARY_TOKENS);
  }

  #respond(body: Fields, before: number): Response {
    const threshold = this.#vendor.threshold(body);
    if (typeof threshold !== "number") this.faults.push("the request has no threshold for a compaction");
    const compacts = before > Number(threshold);
    const pauses = compacts && this.#vendor.pauses(body);
    const script = this.#write(compacts, pauses);
    const after = compacts ? SUMMARY_TOKENS : before;
    // The events of both apis are objects.
    const events = this.#party.wire.encode(script, this.#model) as Fields[];
    const frames = events.map((event) =>
      sseEvent(this.#vendor.report(event, { before, after, pauses }), String(event["type"])),
    );
    return new Response(frames.join(""), { headers: { "content-type": "text/event-stream" } });
  }

  #write(compacts: boolean, pauses: boolean): Script {
    const name = `r${this.responses++}`;
    const ends = this.responses % 5 === 0;
    const steps: Step[] = [
      { kind: "think", text: `Thoughts of ${name}.`, signature: opaque(name, "thoughts") },
      { kind: "say", text: `Words of ${name}.` },
      ...(ends ? [] : [{ kind: "call", name: "read", input: { path: name } } as const]),
    ];
    const end = ends ? "stop" : "calls";
    if (!compacts) return { name, steps, end };
    const payload = opaque(name, "compaction");
    this.compactions.push(payload);
    const what = this.#party.wire.provides.includes("compaction") ? "compaction" : "hiddenCompaction";
    const own: Step = { kind: "own", what, payload };
    return pauses ? { name, steps: [own], end: "stop" } : { name, steps: this.#vendor.order(own, steps), end };
  }
}

function fieldsOf(value: unknown): Fields {
  return { ...Object(value) };
}

function fieldsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}
