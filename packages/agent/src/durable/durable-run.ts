/** Defines the steps of a durable run: their names and the values that they store. */
import type { AssistantMessage } from "pi-ai";
import type { ApprovalAnswer, ApprovalRequest } from "../types/approval.js";
import type { AgentMessage, AgentToolCall } from "../types/message.js";
import type { PolledQueue, RememberedOutcome, RunBeginning, RunSteps, StepToolCall } from "../types/run-steps.js";
import type { AnyAgentTool } from "../types/tool.js";
import { addResponse, createLedgerEntry, type DurableLedger } from "./durable-ledger.js";
import { type BeginRecord, createBeginRecord, findChange, holdsRun } from "./run-beginning.js";
import type { FinishedStep, StepJournal } from "./step-journal.js";
import { StepMismatchError } from "./step-mismatch-error.js";

/** A tool call for which `approve` decides whether it needs an approval. */
export interface ApprovalQuestion {
  /** The tool. */
  tool: AnyAgentTool;
  /** The call as the model sent it. */
  toolCall: AgentToolCall;
  /** The validated arguments that the tool will receive. */
  args: AgentToolCall["arguments"];
}

/** Decides whether a call needs an approval. */
export type ApproveHook = (question: ApprovalQuestion) => boolean | Promise<boolean>;

/** Lone surrogates, for which `encodeURIComponent` throws. */
const LONE_SURROGATES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * Reads messages that other processes send to the run: those of an append-only list from an offset on. Reading must not
 * remove them, because the process may die before the step is stored.
 */
export type Inbox = (queue: PolledQueue, offset: number) => AgentMessage[] | Promise<AgentMessage[]>;

export interface DurableRunOptions {
  approve?: ApproveHook | undefined;
  inbox?: Inbox | undefined;
  detectChanges: boolean;
}

/** The name of the first step of each prompt. */
const PROMPTS = "prompts";

/** The value that a hook returned, or the text of the error that it threw. */
type HookRecord<TValue> = { returned: TValue } | { threw: string };

export class DurableRun implements RunSteps {
  readonly ledger: DurableLedger & { unknownEffects: string[] } = {
    completed: createLedgerEntry(),
    lost: createLedgerEntry(),
    unknownEffects: [],
  };
  readonly #journal: StepJournal;
  readonly #runId: string;
  readonly #options: DurableRunOptions;
  /** The number of messages received from the inbox. */
  readonly #received: Record<PolledQueue, number> = { steering: 0, "follow-up": 0 };
  readonly #keys = new WeakMap<AgentToolCall, { key: string; idempotencyKey: string }>();
  /** Calls that were about to run when another process died. */
  readonly #interrupted = new WeakSet<AgentToolCall>();

  constructor(journal: StepJournal, runId: string, options: DurableRunOptions) {
    this.#journal = journal;
    // Encoded, because a model chooses tool call ids: keys of two runs must not be equal.
    this.#runId = encodeURIComponent(runId);
    this.#options = options;
  }

  get isReplaying(): boolean {
    return this.#journal.isReplaying;
  }

  get failure(): RunSteps["failure"] {
    return this.#journal.failure;
  }

  now(): number {
    return this.#journal.now;
  }

  async begin(prompts: readonly AgentMessage[], beginning: RunBeginning): Promise<AgentMessage[]> {
    const { transcript } = beginning;
    this.#journal.transcript = transcript;
    const now = createBeginRecord(prompts, beginning);
    const { value, isReplay, position } = await this.#journal.run<BeginRecord | AgentMessage[]>(
      PROMPTS,
      async () => now,
    );
    // Earlier versions remembered only the prompts.
    if (Array.isArray(value)) return value;
    if (!isReplay) return value.prompts;
    const refuse = (problem: string) =>
      this.#journal.refuse(
        new StepMismatchError({ position, expected: PROMPTS, remembered: PROMPTS }, transcript().slice(), problem),
      );
    const change = this.#options.detectChanges ? findChange(value, now) : undefined;
    if (change !== undefined) refuse(describeChange(change));
    if (now.base > value.base && holdsRun(value, transcript())) beginning.rewind(value.base);
    else if (now.base !== value.base) refuse(describeBase(value.base, now.base));
    return value.prompts;
  }

  async poll(queue: PolledQueue, take: () => PromiseLike<AgentMessage[]> | AgentMessage[]): Promise<AgentMessage[]> {
    let own: AgentMessage[] | undefined;
    const offset = this.#received[queue];
    const { taken, received } = await this.hook(queue, async () => {
      own = (await take()) ?? [];
      return { taken: own, received: (await this.#options.inbox?.(queue, offset)) ?? [] };
    });
    this.#received[queue] += received.length;
    // Return the original objects, because the agent's queue confirms them by identity.
    return [...(own ?? taken), ...received];
  }

  async respond(request: () => Promise<AssistantMessage>): Promise<AssistantMessage> {
    const begunBy = this.#journal.latestBy;
    // A poll precedes each request directly, so an attempt that polled has sent the request, too.
    const isRequested = begunBy !== this.#journal.attempt;
    const { value } = await this.#step("response", async () => ({ message: await request(), isRepeated: isRequested }));
    const { message, isRepeated } = value;
    if (isRepeated) addResponse(this.ledger.lost, message.usage);
    addResponse(this.ledger.completed, message.usage);
    return message;
  }

  async hook<TValue>(name: string, call: () => Promise<TValue>): Promise<TValue> {
    const { value: record } = await this.#step(name, async (): Promise<HookRecord<TValue>> => {
      try {
        return { returned: await call() };
      } catch (error) {
        return { threw: error instanceof Error ? error.message : String(error) };
      }
    });
    if ("threw" in record) throw new Error(record.threw);
    return record.returned;
  }

  keyOf(toolCall: AgentToolCall): string {
    return this.#keysOf(toolCall).key;
  }

  async needApprovals(calls: readonly StepToolCall[]): Promise<readonly (ApprovalRequest | undefined)[]> {
    const { approve } = this.#options;
    if (!approve || calls.length === 0) return [];
    const keys = calls.map(({ toolCall }) => this.keyOf(toolCall));
    const { value: needed, position } = await this.#step(`approvals ${keys.join(" ")}`, () =>
      Promise.all(calls.map((call) => needsApproval(approve, call))),
    );
    // Named by position: an id is chosen by a model, and engines restrict the characters of a name.
    return calls.map(({ toolCall: { id, name }, args }, index) =>
      needed[index] ? { name: `approval:${position}.${index + 1}`, toolCallId: id, toolName: name, args } : undefined,
    );
  }

  async waitForApproval({ name }: ApprovalRequest, signal: AbortSignal | undefined): Promise<ApprovalAnswer> {
    const answer = await this.#journal.wait(name, signal);
    // A client sent the answer, so every field is checked.
    if (typeof answer !== "object" || answer === null) return { approved: false };
    const { approved, reason }: { approved?: unknown; reason?: unknown } = answer;
    return { approved: approved === true, ...(typeof reason === "string" && reason !== "" ? { reason } : {}) };
  }

  async mark(calls: readonly StepToolCall[]): Promise<void> {
    const unsafe = calls.filter(({ tool }) => tool.replay !== "safe").map(({ toolCall }) => toolCall);
    if (unsafe.length === 0) return;
    const name = `begin ${unsafe.map((toolCall) => this.keyOf(toolCall)).join(" ")}`;
    const { by } = await this.#step(name, async () => null);
    if (by !== this.#journal.attempt) for (const toolCall of unsafe) this.#interrupted.add(toolCall);
  }

  async runTool(
    { tool, toolCall }: StepToolCall,
    perform: (idempotencyKey: string) => Promise<RememberedOutcome>,
  ): Promise<RememberedOutcome> {
    const { key, idempotencyKey } = this.#keysOf(toolCall);
    const isInterrupted = this.#interrupted.has(toolCall);
    const { value } = await this.#step(`tool ${tool.name} ${key}`, async () => ({
      outcome: isInterrupted ? createUnknownOutcome(tool.name) : await perform(idempotencyKey),
      isUnknown: isInterrupted,
    }));
    const { outcome, isUnknown } = value;
    if (isUnknown) this.ledger.unknownEffects.push(toolCall.id);
    return outcome;
  }

  #step<TValue>(name: string, work: () => Promise<TValue>): Promise<FinishedStep<TValue>> {
    return this.#journal.run(name, work);
  }

  /** Some providers repeat ids in every response, so an id alone does not identify a call. */
  #keysOf(toolCall: AgentToolCall): { key: string; idempotencyKey: string } {
    const known = this.#keys.get(toolCall);
    if (known) return known;
    // A model chooses the id, and the key may become a header. The number in front of the id makes each key unique.
    const id = encodeURIComponent(toolCall.id.replace(LONE_SURROGATES, "_"));
    const key = `${this.#journal.count(id)}:${id}`;
    const keys = { key, idempotencyKey: `${this.#runId}:${key}` };
    this.#keys.set(toolCall, keys);
    return keys;
  }
}

/** If the hook throws, the tool needs an approval: an error must not let it run unapproved. */
async function needsApproval(approve: ApproveHook, { tool, toolCall, args }: StepToolCall): Promise<boolean> {
  try {
    return Boolean(await approve({ tool, toolCall, args }));
  } catch {
    return true;
  }
}

function describeChange(change: string): string {
  return (
    `The run began with ${change}. Finish it with what began it, start a new run from the transcript in \`messages\`, or ` +
    "set `detectChanges: false` if the change is meant, such as a date in the system prompt."
  );
}

function describeBase(began: number, now: number): string {
  return (
    `The run began on a conversation of ${began} messages, and this process passed one of ${now}. Its steps hold what came ` +
    `after: pass \`messages: messages.slice(0, ${began})\` of the conversation from before the run.`
  );
}

function createUnknownOutcome(toolName: string): RememberedOutcome {
  const text =
    `The process ended while ${toolName} was about to run or running. It may have run: whether it took effect is not ` +
    "known. Find out before you call it again.";
  return { result: { content: [{ type: "text", text }], details: {} }, isError: true };
}
