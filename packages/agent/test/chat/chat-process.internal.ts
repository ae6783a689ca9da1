/** One process of a random conversation: an open session, its agent, and what users, pages and timers do to it. */
import { type Agent, AgentBusyError, type AgentEvent, type AgentMessage, AgentStateError } from "pi-agent";
import { type SessionLog, SessionLogError, type SessionStore } from "pi-agent/session";
import type { SystemMessage, UserMessage } from "pi-ai";
import { vi } from "vitest";
import type { Random } from "../../../../test/support/random.js";
import { repairMessages } from "../../src/stores/session/restore-session.js";
import { ANSWER_MS, chooseAnswers, createChatAgent } from "./chat-agent.js";
import type { ChatChanges } from "./chat-changes.js";
import { type ChatFacts, nameOf, namesOf } from "./chat-facts.js";
import { ObservedAgent } from "./chat-oracle.internal.js";
import { branchAnywhere, intrude, openTwice } from "./chat-refusals.js";
import { ChatServer, sleep } from "./chat-server.js";
import type { BootedStore, Disk } from "./disks.internal.js";
import { PageViews, throughPage } from "./page-views.js";
import { RunReaders } from "./run-readers.js";

/** What lasts longer than a process. */
export interface World {
  random: Random;
  facts: ChatFacts;
  paid: Map<string, number>;
  next: () => number;
  disk: Disk;
  /** Nothing throws, dies or is aborted. */
  isCalm: boolean;
  /** Another process wants the session, too. */
  isBesideAnother: boolean;
  /** The process that has the session, or that has died with it. */
  holder: { now?: ChatProcess | undefined };
  /** The agents of tools have sessions, too. */
  children: boolean;
}

const ID = "chat";
/** What happens in the middle of a run. */
const INTERRUPTIONS = ["send", "send", "steer", "followUp", "abort", "abort", "prompt", "reset"] as const;
/** So often a process asks for a session that another one has. */
const MAX_ATTEMPTS = 20;
/** So many turns of the event loop until a conversation hangs. A disk may be slow. */
const MAX_TURNS = 2_000_000;

export class ChatProcess {
  readonly #world: World;
  readonly #random: Random;
  readonly #facts: ChatFacts;
  readonly #booted: BootedStore;
  readonly #store: SessionStore;
  readonly #server: ChatServer;
  readonly #died = Promise.withResolvers<void>();
  /** How many chances there are until the process dies. */
  #lives: number;
  /** How often something may still happen in the middle of a run. */
  #interruptions: number;
  #isDead = false;
  #isClosed = false;
  /** Another process has taken the session. */
  #isLost = false;
  /** It is about to: what happens may still be stored, or not. */
  #isPassing = false;
  /** Whether what ends may not be stored yet when the run goes on. */
  #isLossy = false;
  #session: SessionLog | undefined;
  #observed: ObservedAgent | undefined;
  #changes: ChatChanges | undefined;
  /** Of the present agent, if its runs are published. */
  #readers: RunReaders | undefined;
  readonly #views: PageViews;
  #now = 0;

  constructor(world: World) {
    this.#world = world;
    this.#random = world.random;
    this.#facts = world.facts;
    this.#booted = world.disk.boot(() => this.#interrupt());
    this.#store = this.#booted.store;
    const { random, isCalm } = world;
    const cannotDie = isCalm || (world.isBesideAnother && !world.disk.canDieAlone);
    this.#lives = cannotDie || random.chance(0.4) ? Number.POSITIVE_INFINITY : random.below(random.pick([10, 60, 200]));
    this.#interruptions = isCalm ? 0 : random.below(6);
    this.#server = new ChatServer({
      random,
      next: world.next,
      paid: world.paid,
      interrupt: () => this.#interrupt(),
      isDead: () => this.#isDead,
    });
    this.#views = new PageViews(random, () => this.#abort());
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** Whether it died while a summary was written. */
  get diedInCompaction(): boolean {
    return this.#isDead && this.#server.isSummarizing;
  }

  /** Whether there is something to close. */
  get isOpen(): boolean {
    return this.#session !== undefined;
  }

  get messages(): readonly AgentMessage[] {
    return this.#observed?.agent.state.messages ?? [];
  }

  /**
   * Takes the session, as soon as it is free, or by force.
   *
   * @returns whether it has it now
   */
  async open(): Promise<boolean> {
    await this.#settle(async () => {
      for (let left = MAX_ATTEMPTS; left > 0 && !this.#session; left--) {
        this.#session = await this.#tryOpen();
        if (!this.#session) await sleep(1 + this.#random.below(40));
      }
      if (!this.#session) return;
      const loaded = await this.#store.load(ID);
      // Another process may have taken the session meanwhile, and gone on with it.
      if (this.#isGone) return;
      this.#facts.checkOpened(this.#session, loaded);
      this.#createAgent();
    });
    return this.#session !== undefined && !this.#isGone;
  }

  async #tryOpen(): Promise<SessionLog | undefined> {
    const { holder, disk, isBesideAnother } = this.#world;
    const before = holder.now;
    const takeOver = before !== undefined && disk.canTakeOver && (before.isDead || this.#random.chance(0.05));
    if (takeOver) {
      holder.now = undefined;
      before.lose();
    }
    try {
      // What a process that has lost the session still does ends by itself.
      const options = { onError: () => {}, takeOver, now: () => this.#now, children: this.#world.children };
      const session = await this.#retry(() => this.#store.open(ID, options));
      holder.now = this;
      if (before) before.#isPassing = false;
      return session;
    } catch (error) {
      if (isBesideAnother && error instanceof SessionLogError && /in use/.test(error.message)) return undefined;
      throw error;
    }
  }

  /** Another process takes the session by force. What happens from here on is not stored. */
  lose(): void {
    if (this.#isGone) return;
    this.#isLost = true;
    this.#isPassing = true;
  }

  async close(): Promise<void> {
    // What a run has not waited for after an abort may still be under way.
    this.#isClosed = true;
    await this.#settle(async () => {
      await this.#retry(() => this.#open.close()).catch((error: unknown) => {
        if (!this.#isLost) throw error;
      });
      if (this.#world.holder.now === this) this.#world.holder.now = undefined;
      await this.#readers?.close();
      await this.#store.close();
    });
  }

  /** Some actions, until the process dies. */
  async live(): Promise<void> {
    for (let left = 1 + this.#random.below(5); left > 0 && !this.#isOver; left--) {
      await this.#settle(() => this.#act());
      if (!this.#isOver) await this.#settle(() => this.#check());
    }
    if (!this.#isGone && this.#lives < Number.POSITIVE_INFINITY && this.#random.chance(0.3)) this.#die();
  }

  /** Brings the conversation to its end: nothing is open, and nothing waits. */
  async finish(rounds: number): Promise<void> {
    for (let round = 0; round < rounds && !this.#isOver; round++) {
      let outcome: string | undefined;
      await this.#settle(async () => {
        if (this.#alive.state.pause) this.#alive.declineAll();
        this.#begin();
        outcome = await this.#alive.resume();
      });
      if (!this.#isOver) await this.#settle(() => this.#check());
      if (outcome === "idle") return;
    }
    if (!this.#isOver) this.#facts.faults.push("the conversation does not end");
  }

  /** What it does says nothing about what is stored. */
  get #isGone(): boolean {
    return this.#isDead || this.#isLost;
  }

  get #isOver(): boolean {
    return this.#isGone || this.#facts.faults.length > 0;
  }

  get #alive(): Agent {
    if (!this.#observed) throw new Error("The process has no agent");
    return this.#observed.agent;
  }

  get #open(): SessionLog {
    if (!this.#session) throw new Error("The process has no session");
    return this.#session;
  }

  /** Lets time pass until something is done, or the process has died. */
  async #settle(work: () => Promise<void>): Promise<void> {
    let isDone = false;
    const done = Promise.race([work(), this.#died.promise])
      // A process that has lost the session cannot write any more, and says so.
      .catch(
        (error: unknown) =>
          this.#isLost || void this.#facts.faults.push(`threw ${error instanceof Error ? error.stack : error}`),
      )
      .then(() => {
        isDone = true;
      });
    for (let turns = 0; !isDone && turns < MAX_TURNS; turns++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (!isDone) vi.advanceTimersByTime(1);
    }
    if (!isDone) this.#facts.faults.push("it hangs");
    else await done;
  }

  #createAgent(): void {
    const { isCalm } = this.#world;
    void this.#readers?.close();
    this.#readers = this.#random.chance(0.5) ? new RunReaders(this.#random) : undefined;
    const { agent, changes } = createChatAgent({
      random: this.#random,
      server: this.#server,
      session: this.#open,
      isCalm,
      now: () => this.#now,
      interrupt: () => this.#interrupt(),
      readers: this.#readers,
      faults: this.#facts.faults,
    });
    this.#changes = changes;
    this.#observed = new ObservedAgent(agent, this.#observed);
    this.#begin();
    this.#listen(this.#observed);
  }

  /** Two listeners; the first one may be slow, and may throw. */
  #listen(observed: ObservedAgent): void {
    const random = this.#random;
    const isCalm = this.#world.isCalm;
    const isSlow = !isCalm && random.chance(0.3);
    const throws = !isCalm && random.chance(0.2);
    const [first, second] = observed.seen;
    const isPresent = (): boolean => this.#observed === observed;
    // A process that has died never goes on.
    const never = (): Promise<void> => new Promise(() => {});
    observed.agent.subscribe((event) => {
      if (!(this.#isDead || isPresent())) return undefined;
      if (!this.#isDead) this.#take(event, first);
      if (this.#isDead) return never();
      if (throws && random.chance(0.2)) throw new Error("listener");
      return isSlow && random.chance(0.2) ? sleep(random.pick([1, 7])) : undefined;
    });
    observed.agent.subscribe((event) => {
      if (this.#isDead || !isPresent()) return;
      second.push(event);
      this.#interrupt();
    });
  }

  #take(event: AgentEvent, seen: AgentEvent[]): void {
    seen.push(event);
    if (!this.#isGone || this.#isPassing) this.#note(event);
    this.#observed?.take(event);
    // The messages after this one were taken from a queue, and are not in the conversation yet.
    const isPrompt = event.type === "message_start" && event.message.role === "user";
    if (isPrompt && this.#interruptions > 0 && this.#random.chance(0.15)) this.#abort();
    this.#interrupt();
  }

  #note(event: AgentEvent): void {
    if (!(this.#isLossy || this.#isPassing)) this.#facts.goOn();
    if (event.type === "agent_start") this.#facts.begin(this.#alive.state.messages);
    if (event.type === "message_end") this.#facts.end(event.message);
  }

  #accept(name: string, times = 1): void {
    if (!this.#isGone || this.#isPassing) this.#facts.accept(name, times);
  }

  /** Now the agent is idle. */
  #begin(): void {
    this.#observed?.begin();
    this.#isLossy = this.#world.disk.isFlaky;
  }

  #interrupt(): void {
    if (this.#isDead || this.#isClosed || !this.#observed) return;
    this.#lives--;
    if (this.#lives < 0) this.#die();
    if (!this.#isDead && this.#random.chance(0.03)) this.#readers?.join();
    if (this.#isDead || this.#interruptions <= 0 || !this.#random.chance(0.08)) return;
    this.#interruptions--;
    const what = this.#random.pick([...INTERRUPTIONS, "change"] as const);
    if (what === "abort") this.#abort();
    else if (what === "change") this.#changes?.change(this.#alive);
    else if (what === "prompt" || what === "reset") void this.#expectNone(intrude(this.#alive, what));
    else this.#queue(what).catch((error: unknown) => this.#facts.faults.push(`${what}: ${error}`));
  }

  async #expectNone(finding: Promise<string[]>): Promise<void> {
    this.#facts.faults.push(...(await finding));
  }

  #abort(): void {
    // After an abort a run waits for nobody, and not for a store.
    this.#isLossy = true;
    if (this.#observed) this.#observed.wasAborted = true;
    this.#alive.abort();
  }

  #die(): void {
    this.#isDead = true;
    this.#booted.kill();
    this.#died.resolve();
    void this.#readers?.close();
    // A real process takes its handles and its lock with it.
    this.#session?.close().catch(() => {});
  }

  #createMessage(): UserMessage | SystemMessage {
    const instructions = this.#random.chance(0.1) && this.#changes?.instruct(`s${this.#world.next()}`);
    if (instructions) return instructions;
    const words = "word ".repeat(this.#random.pick([0, 0, 20, 80]));
    return { role: "user", content: `u${this.#world.next()} ${words}`, timestamp: this.#now };
  }

  /** Queues a message, or starts a run with it. Returns when the run is over. */
  #queue(what: "send" | "steer" | "followUp", message = this.#createMessage()): Promise<void> {
    const agent = this.#alive;
    const name = nameOf(message) ?? "";
    if (what !== "send") {
      this.#accept(name);
      if (this.#observed && !agent.state.isStreaming) this.#observed.hasIdleQueue = true;
      agent[what](message);
      return Promise.resolve();
    }
    const whileRunning = this.#random.pick(["steer", "followUp", "steer", "followUp", "refuse"] as const);
    if (whileRunning === "refuse" && agent.state.isStreaming) return this.#expectRefusal(message);
    const { did, done } = agent.send(message, { whileRunning });
    this.#accept(name);
    return done.then(
      () => {
        if (did !== "start" && !this.#isGone && !this.#world.disk.isFlaky) this.#facts.noteStored(name);
      },
      (error: unknown) => {
        if (did !== "start" || !(error instanceof AgentStateError)) throw error;
        this.#accept(name, -1);
      },
    );
  }

  /** A message that is refused is in no queue, and in no conversation. */
  async #expectRefusal(message: AgentMessage): Promise<void> {
    try {
      this.#alive.send(message, { whileRunning: "refuse" });
      this.#facts.faults.push("a message was not refused");
    } catch (error) {
      if (!(error instanceof AgentBusyError)) throw error;
    }
  }

  #act(): Promise<void> {
    const random = this.#random;
    if (this.#alive.state.pause && random.chance(0.8)) return this.#answer();
    if (random.chance(0.3)) return random.chance(0.5) ? this.#prompt() : this.#twoRequests();
    return random.pick(Object.values(this.#actions))();
  }

  readonly #actions = {
    prompt: () => this.#prompt(),
    "two requests": () => this.#twoRequests(),
    change: async () => this.#changes?.change(this.#alive),
    queue: async () => {
      const message = this.#createMessage();
      const kind = this.#random.pick(["steer", "followUp"] as const);
      await this.#queue(kind, message);
      // A message may be queued twice, as the same object.
      if (this.#random.chance(0.2)) await this.#queue(kind, message);
    },
    resume: async () => void (await this.#view(() => this.#alive.resume())),
    reset: async () => {
      this.#alive.reset();
      this.#facts.keep([]);
      this.#begin();
    },
    assign: async () => {
      const { state } = this.#alive;
      const kept = state.messages.slice(
        0,
        state.messages.findLastIndex(({ role }) => role === "user"),
      );
      // Not between a call and its result.
      if (repairMessages(kept).length > kept.length) return;
      state.messages = kept;
      this.#facts.keep([...kept, ...this.#open.queued]);
      this.#begin();
    },
    branch: () => {
      const to = `branch-${this.#world.next()}`;
      return this.#expectNone(branchAnywhere(this.#store, { id: ID, to, random: this.#random }));
    },
    "second writer": () => this.#expectNone(openTwice(this.#store, ID)),
    "other agent": () => this.#useOtherAgent(),
    clear: async () => {
      this.#alive.clearAllQueues();
      this.#facts.keep(this.#alive.state.messages);
    },
  } as const;

  async #prompt(): Promise<void> {
    const message = this.#createMessage();
    const name = nameOf(message) ?? "";
    this.#accept(name);
    try {
      const response = await this.#view(() => this.#alive.prompt(message));
      const last = this.#alive.state.messages.findLast(({ role }) => role === "assistant");
      if (response !== last) this.#facts.faults.push("prompt() resolved with another message than the last response");
    } catch (error) {
      if (!(error instanceof AgentStateError && this.#alive.state.pause)) throw error;
      this.#accept(name, -1);
    }
  }

  /** Begins a run for a page, which shows what the run has finished. */
  async #view<TResult>(run: () => Promise<TResult>): Promise<TResult> {
    const agent = this.#alive;
    let result: Promise<TResult> | undefined;
    const begin = (): Promise<TResult> => {
      result = run();
      return result;
    };
    const faults = await this.#views.run(agent, begin);
    if (!this.#isDead) this.#facts.faults.push(...faults);
    return result ?? begin();
  }

  /** A page that was opened twice: both send at about the same time. */
  async #twoRequests(): Promise<void> {
    const first = this.#queue("send");
    if (this.#random.chance(0.5)) await sleep(this.#random.below(30));
    for (let ticks = this.#random.below(60); ticks > 0; ticks--) await undefined;
    const second = this.#isDead ? undefined : this.#queue("send");
    await Promise.all([first, second]);
    await this.#alive.waitForIdle();
  }

  async #answer(): Promise<void> {
    const random = this.#random;
    const agent = this.#alive;
    if (random.chance(0.15)) this.#now += 2 * ANSWER_MS;
    if (random.chance(0.2)) agent.declineAll();
    else {
      const answers = throughPage(random, chooseAnswers(random, agent.state.pause?.requests ?? []));
      await agent.answer(answers).catch((error: unknown) => {
        if (!/expired|late/i.test(String(error))) throw error;
      });
    }
    this.#begin();
    if (random.chance(0.8)) await this.#view(() => agent.resume());
  }

  /** A request that has its own agent of the same session: it goes on, and the agent before it has become old. */
  async #useOtherAgent(): Promise<void> {
    const old = this.#alive;
    await this.#flush();
    if (old.hasQueuedMessages()) return;
    const isStored = JSON.stringify(namesOf(this.#open.messages)) === JSON.stringify(namesOf(old.state.messages));
    // What was assigned and no run has stored yet is the old agent's only.
    if (!isStored) return;
    this.#createAgent();
    const before = this.#alive.state.messages.length;
    await this.#prompt();
    if (this.#alive.state.messages.length === before) return;
    await old.prompt("x").catch((error: unknown) => {
      if (!(error instanceof AgentStateError)) throw error;
    });
    const last = old.state.messages.at(-1);
    if (last?.role === "assistant" && last.stopReason === "stop") this.#facts.faults.push("an old agent went on");
  }

  async #check(): Promise<void> {
    const observed = this.#observed;
    if (!observed) return;
    const { faults } = this.#facts;
    // What happens while the store writes or reads may begin another run.
    do {
      await observed.agent.waitForIdle();
      await this.#flush();
    } while (observed.agent.state.isStreaming);
    if (this.#isGone) return;
    const { queued } = this.#open;
    this.#facts.checkAccepted(observed.agent.state.messages, queued);
    faults.push(...observed.findFaults(this.#server, queued));
    if (this.#readers && observed.seen[0].length > 0)
      faults.push(...(await this.#readers.findFaults(observed.agent.state.messages)));
    if (this.#isGone) return;
    if (observed.seen[0].length > 0) {
      const { length } = observed.seen[0];
      const loaded = await this.#store.load(ID);
      if (this.#isGone) return;
      // While a database answers, a whole run may begin and end.
      if (observed.agent.state.isStreaming || observed.seen[0].length > length) return this.#check();
      faults.push(...observed.findStoreFaults(loaded));
      faults.push(...(await this.#findChildFaults(observed)));
      this.#facts.goOn();
    }
    this.#begin();
  }

  async #findChildFaults(observed: ObservedAgent): Promise<string[]> {
    const { children, disk } = this.#world;
    if (!children || disk.isFlaky) return [];
    const faults = await observed.findChildFaults((call) => this.#store.load(`${ID}.${call}`));
    return this.#isGone ? [] : faults;
  }

  #flush(): Promise<void> {
    return this.#retry(() => this.#open.flush());
  }

  async #retry<TValue>(work: () => Promise<TValue>): Promise<TValue> {
    for (let left = 30; ; left--) {
      try {
        return await work();
      } catch (error) {
        if (!this.#world.disk.isFlaky || left === 0) throw error;
      }
    }
  }
}
