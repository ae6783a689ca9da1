/**
 * Plays random sessions of an agent against the doubles of the vendors, and counts what they refuse and what the prompts cost: an
 * agent with tools, compaction, and changes between its prompts.
 */
import { Agent, type AgentTool, type StreamFn } from "pi-agent";
import { compact } from "pi-agent/compact";
import { type AssistantMessage, getModels, type Model, type SimpleStreamOptions, Type } from "pi-ai";
import type { ModelRequest } from "pi-ai/adapter";
import { factsOf } from "../../../ai/src/catalogue/compat/index.js";
import type { VendorAdapter } from "../../../ai/src/driver/index.js";
import { manageContext } from "../../../ai/src/driver/manage-context.js";
import { placeChanges } from "../../../ai/src/request/changes/place-changes.js";
import { IMAGE } from "../../../ai/test/handoff/conversations.js";
import { PARTIES, type Party } from "../../../ai/test/handoff/parties.js";
import { opaque, type Step } from "../../../ai/test/handoff/script.js";
import { response } from "../../../ai/test/handoff/turns.internal.js";
import { adapterOf } from "../../../ai/test/protocols/adapters.internal.js";
import { CAUSES, cacheRulesOf, type Priced, PromptCache } from "../../../ai/test/sessions/prompt-cache.js";
import { Random } from "../../../ai/test/vendors/random.js";
import { refuse, vendorOf } from "../../../ai/test/vendors/vendors.js";
import { asksAtItsEnd, isSummary } from "../compact-script.js";
import { eventsOf, streamOf, terminalEvent } from "../scripted-stream.js";

/** What sessions cost. */
export interface SessionTotals {
  sessions: number;
  requests: number;
  /** Requests for a summary. */
  summaries: number;
  /** Each request that a vendor would refuse, with the rule. */
  refused: string[];
  /** Sessions in which three prompts in a row were refused. */
  dead: number;
  /** US dollars for all prompts, without what the models wrote. */
  price: number;
  /** The same if all that was ever sent were read from the cache, and all else written to it once. */
  ideal: number;
  /** What is written once, of the ideal. */
  firstWrites: number;
  /** What requests cost beyond the ideal, by the change before them. */
  extra: Record<string, number>;
  /** The same by the rule of the cache that costs it; what is left is a changed beginning, with the change before it. */
  causes?: Record<string, number>;
}

/** A row of the table: the model, and the one that it changes to. */
export interface SessionRow {
  name: string;
  provider: string;
  id: string;
  other: string;
  /** An api in place of the model's own. */
  api?: string;
  /** The most that its sessions may cost in relation to the ideal. */
  most: number;
}

const WINDOW = 40_000;
const CHANGES = ["tools", "prompt", "level", "idle", "image", "model", "steer"] as const;
/** The share of prompts with a change before them. */
const CHANGED = 0.35;
const BASE = "You are a careful engineer who works in a large repository. ".repeat(40);

export async function playSessions(
  row: SessionRow,
  size: { sessions: number; requests: number; seed: number; causes?: boolean },
): Promise<SessionTotals> {
  const totals: SessionTotals = {
    sessions: 0,
    requests: 0,
    summaries: 0,
    refused: [],
    dead: 0,
    price: 0,
    ideal: 0,
    firstWrites: 0,
    extra: {},
    ...(size.causes && { causes: {} }),
  };
  for (let index = 0; index < size.sessions; index++) {
    await new Session(row, new Random(size.seed * 10_007 + index), totals).play(size.requests);
    totals.sessions++;
  }
  return totals;
}

function modelOf({ provider, api }: SessionRow, id: string): Model {
  // The catalogue has all models of a provider, and a row may name one of an api that is not its own.
  const found = (getModels(provider as never) as Model[]).find((model) => model.id === id);
  if (!found) throw new Error(`The catalogue has no ${provider} ${id}`);
  const changed = api ? { api, reasoning: false, compat: undefined } : {};
  return { ...found, ...changed, contextWindow: WINDOW, maxTokens: 16_000 } as Model; // as above
}

class Session {
  readonly #row: SessionRow;
  readonly #random: Random;
  readonly #totals: SessionTotals;
  readonly #cache = new PromptCache();
  /** Each without one rule more than the one before. */
  readonly #lifted = CAUSES.map(
    (_, index) =>
      new PromptCache((id) => CAUSES.slice(0, index + 1).reduce((rules, { lift }) => lift(rules), cacheRulesOf(id))),
  );
  readonly #agent: Agent;
  #now = 1e12;
  #change = "none";
  #requests = 0;
  #calls = 0;

  constructor(row: SessionRow, random: Random, totals: SessionTotals) {
    this.#row = row;
    this.#random = random;
    this.#totals = totals;
    this.#agent = new Agent({
      sessionId: "session",
      maxRepeats: 0,
      getApiKey: () => "key",
      streamFn: this.#stream,
      middleware: [compact({ at: 0.7, keep: 6000, onEvent: () => this.#note("compaction") })],
      initialState: {
        model: modelOf(row, row.id),
        systemPrompt: BASE,
        tools: ["read", "search", "edit"].map((name) => this.#tool(name)),
        thinkingLevel: "medium",
      },
    });
  }

  async play(requests: number): Promise<void> {
    let refused = 0;
    while (this.#requests < requests && refused < 3) {
      this.#note(this.#random.chance(CHANGED) ? this.#random.pick(CHANGES) : "none");
      this.#apply(this.#change);
      const words = `Task ${this.#random.below(1e6)}: ${"please change the module ".repeat(1 + this.#random.below(30))}`;
      await this.#agent.prompt(words, this.#change === "image" ? [IMAGE] : undefined);
      refused = this.#agent.state.errorMessage === undefined ? 0 : refused + 1;
    }
    if (refused === 3) this.#totals.dead++;
  }

  #note(change: string): void {
    this.#change = change;
  }

  #apply(change: string): void {
    const { state } = this.#agent;
    const { id, other } = this.#row;
    if (change === "prompt") state.systemPrompt = `${BASE}\n\nRule ${this.#random.below(1000)}.`;
    if (change === "level")
      state.thinkingLevel = this.#random.pick(
        (["low", "medium", "high"] as const).filter((level) => level !== state.thinkingLevel),
      );
    if (change === "idle") this.#now += this.#random.pick([6, 20]) * 60_000;
    if (change === "model") state.model = modelOf(this.#row, state.model.id === id ? other : id);
    if (change === "steer") this.#agent.steer({ role: "user", content: "Do the tests first.", timestamp: 0 });
    if (change !== "tools") return;
    const name = this.#random.pick(["todo", "fetch_page", "ask"]);
    const without = state.tools.filter((tool) => tool.name !== name);
    state.tools = without.length < state.tools.length ? without : [...without, this.#tool(name)];
  }

  #tool(name: string): AgentTool {
    return {
      name,
      label: name,
      description: `${name}: a tool of the session. `.repeat(6),
      parameters: Type.Object({ path: Type.String() }),
      execute: async () => {
        const length = this.#random.pick([20, 80, 300, 900, 2500]);
        const text = `line ${this.#random.below(1e6)} `.repeat(Math.ceil(length / 11)).slice(0, length);
        return { content: [{ type: "text", text }], details: undefined };
      },
    };
  }

  readonly #stream: StreamFn = async (model, context, options = {}) => {
    this.#requests++;
    this.#now += 2000 + this.#random.below(23_000);
    const party = partyOf(model);
    const adapter: VendorAdapter = adapterOf(model.api);
    const { reasoning, ...rest }: SimpleStreamOptions = options;
    // As the driver does. The agent passes a context, never a list.
    const placed = placeChanges(context as ModelRequest["context"], model, reasoning ?? "off");
    const level = placed.level === undefined || placed.level === "off" ? {} : { reasoning: placed.level };
    const native: ModelRequest["options"] & { toolChoice?: unknown } = adapter.simpleOptions(model, {
      ...rest,
      ...level,
    });
    const request: ModelRequest = {
      model,
      context: placed.context,
      options: placed.choose ? { ...native, toolChoice: placed.choose(native.toolChoice) } : native,
      apiKey: party.apiKey,
      keyIsBearer: false,
    };
    // A vendor reads what travels as JSON.
    const built = await manageContext(adapter.buildRequest(request), adapter, request);
    const body: Record<string, unknown> = JSON.parse(JSON.stringify(built.body));
    const vendor = vendorOf(model);
    const refusal = vendor && refuse(vendor, body, model.id);
    this.#totals.requests++;
    if (refusal) {
      this.#totals.refused.push(`${this.#row.name} after ${this.#change}: ${refusal.rule.id} at ${refusal.at}`);
      const failed = response({ ...party, model }, { name: "refused", steps: [], end: "stop" });
      return streamOf([terminalEvent({ ...failed, content: [], stopReason: "error", errorMessage: refusal.words })]);
    }
    const priced = this.#cache.send(body, model, this.#now);
    this.#count(priced);
    if (this.#totals.causes) this.#countCauses(this.#totals.causes, priced, { body, model });
    const asks = isSummary(request.context);
    if (asks) this.#totals.summaries++;
    const message = asks ? this.#summary(party, model) : this.#turn(party, model);
    const output = JSON.stringify(message.content).length >> 2;
    const { read, write, input } = priced;
    const usage = { ...message.usage, input, output, cacheRead: read, cacheWrite: write };
    const whole = { ...message, usage: { ...usage, totalTokens: read + write + input + output } };
    // What follows a summary costs because of it.
    if (!asksAtItsEnd(request.context)) this.#note("none");
    return streamOf(eventsOf(whole));
  };

  #count({ price, ideal, firstWrites }: Priced): void {
    this.#totals.price += price;
    this.#totals.ideal += ideal;
    this.#totals.firstWrites += firstWrites;
    this.#totals.extra[this.#change] = (this.#totals.extra[this.#change] ?? 0) + price - ideal;
  }

  #countCauses(
    causes: Record<string, number>,
    { price, ideal }: Priced,
    { body, model }: { body: Record<string, unknown>; model: Model },
  ): void {
    let before = price;
    const add = (cause: string, after: number): void => {
      causes[cause] = (causes[cause] ?? 0) + before - after;
      before = after;
    };
    for (const [index, { name, byChange }] of CAUSES.entries())
      add(
        byChange ? `${name} (${this.#change})` : name,
        this.#lifted[index]?.send(body, model, this.#now).price ?? before,
      );
    add(`changed beginning (${this.#change})`, ideal);
  }

  #summary(party: Party, model: Model): AssistantMessage {
    const name = `r${this.#requests}`;
    const say: Step = { kind: "say", text: `${name}: ${"Goals, facts and what is left to do. ".repeat(60)}` };
    return response({ ...party, model }, { name, steps: [say], end: "stop" });
  }

  #turn(party: Party, model: Model): AssistantMessage {
    const name = `r${this.#requests}`;
    const random = this.#random;
    // No text is another's: the ideal cache would read it, and no cache can.
    const words = (most: number): string =>
      `${name} ${"and it may fail so we read it again ".repeat(1 + random.below(most))}`;
    // A model that thinks for a budget does so at the beginning of each turn, of which the rest depends.
    // A change may stand behind the message that begins the turn.
    const last = this.#agent.state.messages.findLast(({ role }) => role !== "system");
    const must = factsOf(model).thinking === "budget" && last?.role === "user";
    const thinks = model.reasoning && (must || random.chance(0.85));
    const think: Step = { kind: "think", text: words(20), signature: opaque(name, model.id) };
    const count = random.chance(0.8) ? random.pick([1, 1, 1, 2, 2, 3, 4]) : 0;
    const steps: Step[] = [...(thinks ? [think] : []), { kind: "say", text: words(count === 0 ? 20 : 3) }];
    for (let index = 0; index < count; index++) {
      const tool = random.pick(this.#agent.state.tools);
      steps.push({ kind: "call", name: tool.name, input: { path: `src/${random.below(99)}.ts` }, id: this.#nextId() });
    }
    return response({ ...party, model }, { name, steps, end: count === 0 ? "stop" : "calls" });
  }

  #nextId(): string {
    return `call_${this.#calls++}`.padEnd(9, "a");
  }
}

function partyOf({ api }: Model): Party {
  const party = PARTIES.find((one) => one.api === api);
  if (!party) throw new Error(`No party has the api ${api}`);
  return party;
}
