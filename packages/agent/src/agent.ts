/** The `Agent` class: a conversation, its queues, and at most one run of the loop at a time. */
import type { ImageContent, Usage } from "pi-ai";
import { isFailure, isInterrupted } from "pi-ai/call";
import type { ObjectOf } from "pi-ai/object";
import { runToAgentEnd } from "./agent-loop.js";
import { checkOptions, mustBeFunction, mustBeOneOf, readClock } from "./checks.js";
import { AgentBusyError, AgentStateError } from "./errors.js";
import { AgentRun, type AgentRunOptions, keepLlmMessages } from "./loop/index.js";
import {
  assertAnswered,
  canContinue,
  createAnswers,
  createDeclines,
  describeOpen,
  verifyAnswered,
} from "./pause/index.js";
import { ActiveRuns } from "./state/active-runs.js";
import { createLoopConfig, createSettings } from "./state/agent-settings.js";
import { type AgentStateStore, createAgentState } from "./state/agent-state.js";
import { AgentListeners } from "./state/listeners.js";
import { AgentQueues } from "./state/message-queue.js";
import { type PromptOptions, toPromptMessage, toPromptMessages } from "./state/prompt-messages.js";
import type { AgentEvent, AgentListener } from "./types/event.js";
import type { AgentMessage, AgentMessageInput, LastResponse } from "./types/message.js";
import type { AgentOptions, AgentSettings } from "./types/options.js";
import type { RunParent } from "./types/parent-run.js";
import type { PauseAnswer, PauseRequest, SignedCall } from "./types/pause.js";
import type { QueueKind, ResumeOutcome, SendOptions, Sent } from "./types/queue.js";
import type { AgentState, QueueMode } from "./types/state.js";

const NOTHING_TO_CONTINUE =
  "Cannot continue from message role: assistant. Say more with agent.prompt(message), or use agent.resume(), which does nothing then.";
const BUSY_PROMPT =
  "Agent is already processing a prompt. Use steer() or followUp() to queue messages, or wait for completion.";
const BUSY_CONTINUE = "Agent is already processing. Wait for completion before continuing.";
const BUSY_ANSWER = "Agent is already processing. Wait for completion before answering.";
const BUSY_RESET = "Agent is already processing. Wait for completion before resetting.";

/** The settings are fields of an agent. They are declared once, as options. */
// biome-ignore lint/correctness/noUnusedVariables: an interface has the type parameters of its class.
export interface Agent<TSchema extends object = object> extends AgentSettings {}

/**
 * Holds a conversation, runs it and notifies listeners. Options may be changed between runs; a run uses the options that
 * were set when it began. Only the modes of the queues and `prepareNextTurn` are looked up after each turn: a hook that was set
 * may be replaced or removed.
 *
 * @example
 * const agent = new Agent({ initialState: { model, systemPrompt: "Be brief.", tools: [clock] } });
 * agent.subscribe((event) => {
 *   if (event.type === "message_end") console.log(event.message);
 * });
 * await agent.prompt("What time is it?");
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor sets them.
export class Agent<const TSchema extends object = object> {
  readonly #store: AgentStateStore;
  readonly #listeners: AgentListeners;
  readonly #queues: AgentQueues;
  #active: ActiveRuns | undefined;
  /** The usage of the last run after its last response, until the next one names it. */
  #sideUsages: readonly Usage[] | undefined;

  constructor(options: AgentOptions<TSchema> = {}) {
    Object.assign(this, createSettings(options));
    this.#store = createAgentState(options.initialState, () => this.#time());
    this.#listeners = new AgentListeners(options.onListenerError);
    this.#queues = new AgentQueues(this, options);
    this.#queues.takeStored();
  }

  /** The live state. Changes that are made during a run apply from the next one. */
  get state(): AgentState<ObjectOf<TSchema>> {
    // The run accepts no other output.
    return this.#store.state as AgentState<ObjectOf<TSchema>>;
  }

  /** The signal of the run in progress. */
  get signal(): AbortSignal | undefined {
    return this.#active?.signal;
  }

  /** Whether one turn takes one steering message or all of them. Default `"one-at-a-time"`. */
  get steeringMode(): QueueMode {
    return this.#queues.steering.mode;
  }

  set steeringMode(mode: QueueMode) {
    this.#queues.steering.mode = mode;
  }

  /** Whether one or all follow-ups are taken when the run would end. Default `"one-at-a-time"`. */
  get followUpMode(): QueueMode {
    return this.#queues.followUps.mode;
  }

  set followUpMode(mode: QueueMode) {
    this.#queues.followUps.mode = mode;
  }

  /**
   * Calls a function with every event. The run waits for the promise that it returns, or for one tick of the microtask
   * queue; after an abort it waits at most 5 ms. Errors go to `onListenerError`.
   *
   * @returns a function that unsubscribes, and returns whether the listener was still subscribed
   * @throws TypeError for anything but a function
   */
  subscribe(listener: AgentListener): () => boolean {
    mustBeFunction("The listener that subscribe receives", listener);
    return this.#listeners.subscribe(listener);
  }

  /**
   * Adds a user message, or messages of any kind, and runs until the model has nothing left to do. Resolves with the last response
   * when the run is over, also when it failed: its `stopReason` is then `"error"` or `"aborted"`, and `errorMessage` says why.
   *
   * @example
   * const response = await agent.prompt("What time is it?");
   * console.log(response.errorMessage ?? messageText(response));
   *
   * @param parent the run whose tool runs this agent, and the tool call. See `agentTool` of pi-agent/limits
   * @throws AgentBusyError when a run is in progress
   * @throws AgentStateError when the conversation waits for answers; see `onNewMessage`
   */
  prompt(
    message: AgentMessageInput | readonly AgentMessageInput[],
    images?: undefined,
    parent?: RunParent,
  ): Promise<LastResponse>;
  prompt(text: string, images?: ImageContent[], parent?: RunParent): Promise<LastResponse>;
  async prompt(
    input: string | AgentMessageInput | readonly AgentMessageInput[],
    images?: ImageContent[],
    parent?: RunParent,
  ): Promise<LastResponse> {
    this.#assertIdle(BUSY_PROMPT);
    const { messages, pause } = this.state;
    if (pause?.requests.length && this.onNewMessage !== "decline")
      throw new AgentStateError(describeOpen(messages, "Cannot take a message"));
    return this.#start(toPromptMessages(input, { ...this.#promptOptions, images }), parent);
  }

  /**
   * Adds answers to requests of `state.pause`. `continue()` goes on with them. Requests without an answer stay open, and the
   * run pauses again for them. An answer that the conversation has already is ignored, so a page may send it twice.
   *
   * Rejects with an {@link AnswerError} if an answer is unknown, stale, forged or otherwise wrong; none counts then.
   *
   * @example
   * const [request] = agent.state.pause?.requests ?? [];
   * if (request) await agent.answer([{ id: request.id, approved: true }]);
   * await agent.continue();
   *
   * @returns whether an answer is new, so that `continue()` has something to do
   * @throws AgentBusyError when a run is in progress
   */
  async answer(answers: readonly PauseAnswer[]): Promise<boolean> {
    this.#assertIdle(BUSY_ANSWER);
    await verifyAnswered(this.state.messages, answers, (request, call) => this.#verify(request, call));
    this.#assertIdle(BUSY_ANSWER);
    const marks = createAnswers(this.state.messages, answers, this.#time());
    this.#store.apply({ type: "answers", marks });
    return marks.length > 0;
  }

  /**
   * Declines all open requests. `continue()` goes on, and the model reads the reason.
   *
   * @throws AgentBusyError when a run is in progress
   */
  declineAll(reason?: string): void {
    this.#assertIdle(BUSY_ANSWER);
    this.#store.apply({ type: "answers", marks: createDeclines(this.state.messages, { reason }, this.#time()) });
  }

  /** Asks all middleware that signs requests. */
  async #verify(request: PauseRequest, call: SignedCall): Promise<void> {
    for (const one of this.middleware ?? []) await one.checkRequest?.(request, call, this.sessionId);
  }

  /**
   * Runs without a new prompt: goes on with a conversation that has paused, requests a response, or delivers queued messages.
   * Resolves as {@link prompt} does.
   *
   * @throws AgentBusyError when a run is in progress
   * @throws AgentStateError `No messages to continue from`, `Cannot continue from message role: assistant`, or when the
   * conversation waits for answers and has none
   */
  async continue(parent?: RunParent): Promise<LastResponse> {
    this.#assertIdle(BUSY_CONTINUE);
    this.#queues.takeStored();
    const { messages, pause } = this.state;
    const tail = messages.at(-1);
    if (pause) {
      assertAnswered(messages, { now: this.#time(), onNewMessage: this.onNewMessage });
      return this.#start([], parent);
    }
    if (!tail) throw new AgentStateError("No messages to continue from. Begin with agent.prompt(message).");
    if (tail.role !== "assistant" || isInterrupted(tail)) return this.#start([], parent);
    if (this.#queues.isEmpty) throw new AgentStateError(NOTHING_TO_CONTINUE);
    return this.#start(this.#queues.takePrompts(), parent);
  }

  /**
   * Goes on with a conversation where it was left, such as one that a session has loaded after a crash: requests the answer that
   * is missing, goes on with a pause that has answers, or delivers queued messages.
   *
   * @returns `"idle"` if there was nothing to do, `"paused"` if the conversation waits for answers (see `state.pause`), before
   * or after a run, and `"continued"` when a run is over
   * @throws AgentBusyError when a run is in progress
   */
  async resume(): Promise<ResumeOutcome> {
    this.#assertIdle(BUSY_CONTINUE);
    this.#queues.takeStored();
    const { messages, pause } = this.state;
    if (pause && !canContinue(messages, { now: this.#time(), onNewMessage: this.onNewMessage })) return "paused";
    const tail = messages.at(-1);
    const isAnswered = !pause && (!tail || (tail.role === "assistant" && !isInterrupted(tail)));
    if (isAnswered && this.#queues.isEmpty) return "idle";
    await (isAnswered ? this.#start(this.#queues.takePrompts()) : this.continue());
    return this.state.pause ? "paused" : "continued";
  }

  /** Queues a message, or a prompt, for the next turn of the run, or for the first turn of the next run. */
  steer(message: string | AgentMessageInput): void {
    void this.#enqueue("steer", message);
  }

  /** Queues a message, or a prompt, for when the run would otherwise end. */
  followUp(message: string | AgentMessageInput): void {
    void this.#enqueue("followUp", message);
  }

  /**
   * Starts a run with a message, or queues it while a run is under way. It is answered in that run or in one after it.
   *
   * @returns what it did, and a promise: of the end of the run, or that the message is queued (and stored, with a session)
   * @throws AgentBusyError with `"refuse"`, when a run is in progress
   *
   * @example
   * const { did, done } = agent.send("And then?", { whileRunning: "steer" });
   */
  send(message: string | AgentMessageInput, options: SendOptions = {}): Sent {
    checkOptions(options, { whileRunning: mustBeOneOf(["steer", "followUp", "refuse"]) });
    const { whileRunning = "followUp" } = options;
    if (!this.#active) return { did: "start", done: this.prompt(toPromptMessage(message, this.#promptOptions)) };
    if (whileRunning === "refuse") throw new AgentBusyError(BUSY_PROMPT);
    return { did: whileRunning, done: this.#enqueue(whileRunning, message) };
  }

  #enqueue(kind: QueueKind, input: string | AgentMessageInput): Promise<void> {
    return this.#queues.accept({ kind, message: toPromptMessage(input, this.#promptOptions) });
  }

  /** Drops the messages queued by {@link steer}. */
  clearSteeringQueue(): void {
    this.#queues.drop("steer");
  }

  /** Drops the messages queued by {@link followUp}. */
  clearFollowUpQueue(): void {
    this.#queues.drop("followUp");
  }

  /** Drops all queued messages. */
  clearAllQueues(): void {
    this.clearSteeringQueue();
    this.clearFollowUpQueue();
  }

  /** Whether a message is queued. */
  hasQueuedMessages(): boolean {
    return !this.#queues.isEmpty;
  }

  /** The messages that the next turn would take from the queues, steering before follow-ups. They stay queued. */
  peekQueuedMessages(): AgentMessage[] {
    return this.#queues.peek();
  }

  /**
   * Ends the run within 20 ms, even if a tool, a hook, a stream or a listener hangs. Tool calls that have not ended get
   * the result `Operation aborted`; queued messages stay queued. Does nothing when idle.
   */
  abort(): void {
    this.#active?.abort();
  }

  /**
   * Resolves when the run is over and its listeners are done; at once when idle.
   *
   * A listener may await it only if it calls it before its own first `await`. The promise then resolves as soon as the run
   * waits for that listener, before the run is over: otherwise each would wait for the other.
   */
  waitForIdle(): Promise<void> {
    return this.#active ? this.#listeners.waitForIdle(this.#active.settled) : Promise.resolve();
  }

  /**
   * Clears the conversation, the last error and the queues; keeps all settings.
   *
   * @throws AgentBusyError when a run is in progress
   */
  reset(): void {
    this.#assertIdle(BUSY_RESET);
    this.#store.apply({ type: "reset" });
    this.clearAllQueues();
  }

  get #promptOptions(): PromptOptions {
    return { now: () => this.#time(), hasOwnRoles: this.convertToLlm !== keepLlmMessages };
  }

  #time(): number {
    return readClock(this.now);
  }

  #assertIdle(message: string): void {
    if (this.#active) throw new AgentBusyError(message);
  }

  async #start(prompts: AgentMessage[], parent?: RunParent): Promise<LastResponse> {
    const active = new ActiveRuns();
    const { gate } = active;
    this.#active = active;
    this.#queues.takeStored();
    try {
      let messages: AgentMessage[] | undefined = prompts;
      while (messages) {
        this.#store.apply({ type: "run_start" });
        await runToAgentEnd(new AgentRun(this.#optionsOfRun(active, parent)), messages);
        await this.#listeners.waitForClients();
        this.#queues.restore();
        // Nothing is awaited between this last look at the queues and the end, so no message is accepted in between.
        messages = gate.aborted ? undefined : this.#takeLateMessages();
      }
      return lastResponse(this.state.messages);
    } catch (error) {
      // A setting that is refused, or the engine of a durable run. Tools that are still running must stop, too.
      active.abort(error);
      throw error;
    } finally {
      gate.close();
      // The result of the parent's tool call counts it.
      if (parent) this.#sideUsages = undefined;
      this.#queues.restore();
      this.#store.apply({ type: "run_settled" });
      this.#active = undefined;
      await active.settle((error) => this.#listeners.reportLate(error));
    }
  }

  /** Takes what was accepted after the run's last look at the queues. Steps of a durable run belong to one run. */
  #takeLateMessages(): AgentMessage[] | undefined {
    const tail = this.state.messages.at(-1);
    const hasFailed = tail?.role === "assistant" && isFailure(tail.stopReason);
    return this.#queues.hasLate && !hasFailed && !this.steps ? this.#queues.takePrompts() : undefined;
  }

  #optionsOfRun(active: ActiveRuns, parent: RunParent | undefined): AgentRunOptions {
    const { systemPrompt, messages, tools, model, thinkingLevel } = this.state;
    this.#queues.beginRun();
    return {
      context: { systemPrompt, messages, tools: tools.slice() },
      config: createLoopConfig(this, { model, thinkingLevel, queues: this.#queues }),
      emit: (event) => this.#dispatch(event, active),
      emitIsSafe: true,
      onLateFailure: (error) => this.#listeners.reportLate(error),
      onRewind: (length, records) => this.#store.apply({ type: "rewind", length, records }),
      sideUsages: this.#sideUsages,
      gate: active.gate,
      streamFn: this.streamFn,
      parent,
      owner: this,
      whenIdle: (work) => active.whenIdle(work),
      abort: () => active.abort(),
    };
  }

  /** Updates the state, then the queues, then notifies the listeners. */
  #dispatch(event: AgentEvent, { signal, gate }: ActiveRuns): void | Promise<void> {
    this.#store.apply(event);
    if (event.type === "message_end") this.#queues.confirm(event.message);
    else if (event.type === "agent_end") this.#sideUsages = event.sideUsages;
    return this.#listeners.notify(event, signal, gate);
  }
}

/** Each run adds a response or goes on with one, also if it fails. */
function lastResponse(messages: readonly AgentMessage[]): LastResponse {
  let index = messages.length - 1;
  while (index > 0 && messages[index]?.role !== "assistant") index--;
  return messages[index] as LastResponse; // the role says so
}
