/** The source of a run's events, for the stream formats of other frameworks. */
import { type Checks, describeValue, mayBeAnything, mustBeList } from "../checks.js";
import type { AgentEvent, AgentListener, ApprovalRequest } from "../types/event.js";
import type { AgentMessage } from "../types/message.js";
import { completeResponses } from "./complete-responses.js";

/** An agent whose next run is followed; `Agent` is one. */
export interface ListenableAgent {
  /** Calls a function with every event; returns the function that unsubscribes it. */
  subscribe(listener: AgentListener): () => unknown;
  /** Stops the run. */
  abort(): void;
  /** Resolves when the agent is idle: it may begin another run by itself, for messages that it has accepted late. */
  waitForIdle?(): Promise<void>;
  /** Where a durable run stores its steps. */
  readonly steps?: { readonly stores: boolean } | undefined;
}

/** An agent, or the events of one run, as `agentLoop` returns them. */
export type RunSource = ListenableAgent | AsyncIterable<AgentEvent>;

/** Options that start a run. */
export interface RunStart {
  /**
   * Starts the run, such as `() => agent.prompt("Hi")`. Called once the agent's events have a listener. A rejection becomes
   * a failure of the run. Without this option, start the run yourself after the function has returned.
   */
  run?: (() => Promise<unknown>) | undefined;
  /**
   * The answers with which a page continues a run, by the names of their requests. The stream begins where the run takes the
   * first of them: the page has what was before. Default: none, and the stream begins with the run.
   */
  answers?: readonly { readonly name: string }[] | undefined;
}

/** `run` is checked where it is called. */
export const START_CHECKS: Checks<keyof RunStart> = { run: mayBeAnything, answers: mustBeList };

/** Receives the events and the end of a run. Every response has all of its updates, as `completeResponses` says. */
export interface RunHandlers {
  /** Each end of a run has the messages of all that were followed. What a page gets of it waits for `end`: another may begin. */
  event(event: AgentEvent): void;
  /** Called last, when the run waits for answers that the page does not know of. The run is followed no longer. */
  wait(requests: readonly ApprovalRequest[]): void;
  /** Called last, when the run is over, with the error if its source threw one. */
  end(error?: Error): void;
}

/**
 * Follows a run, and those that the agent begins after it for messages that it has accepted late. Returns the function that stops
 * following, and aborts the run if asked to.
 */
export function followRun(source: RunSource, start: RunStart, handlers: RunHandlers): (abort: boolean) => void {
  const { run } = start;
  if (run !== undefined && typeof run !== "function")
    throw new TypeError(`run must be a function, such as () => agent.prompt("Hi"), not ${describeValue(run)}`);
  let isOver = false;
  let isAtEnd = false;
  /** The messages of the runs that have ended. */
  const messages: AgentMessage[] = [];
  const end = (error?: unknown): void => {
    if (isOver) return;
    leave(false);
    handlers.end(error === undefined || error instanceof Error ? error : new Error(String(error)));
  };
  const endWhenIdle = (): void => {
    // Not from within a listener: the promise of such a call does not wait for the end.
    if (!("waitForIdle" in source)) end();
    else
      Promise.resolve()
        .then(() => source.waitForIdle?.())
        .then(() => end(), end);
  };
  const approvals = new PendingApprovals(start.answers, (requests) => {
    leave(false);
    handlers.wait(requests);
  });
  const handle = completeResponses((event) => handlers.event(event));
  const handleEnd = (event: AgentEnd): void => {
    for (const message of event.messages) messages.push(message);
    try {
      handle({ ...event, messages });
    } catch (error) {
      // A callback of the application threw. The stream must end all the same.
      end(error);
      throw error;
    }
    endWhenIdle();
  };
  const add = (event: AgentEvent): void => {
    if (isOver || !approvals.see(event)) return;
    isAtEnd = event.type === "agent_end";
    if (event.type === "agent_end") handleEnd(event);
    else handle(event);
  };
  const stop = source && "subscribe" in source ? follow(source, add) : readEvents(source, add, end);
  const leave = (abort: boolean): void => {
    isOver = true;
    approvals.stop();
    stop(abort);
  };
  try {
    // A function without a return value has started the run, too. One that has queued a message is done before its run is.
    // A failure after the end of a run, such as that of a log, does not make the page's run fail.
    run?.()?.then(endWhenIdle, (error) => (isAtEnd ? endWhenIdle() : end(error)));
  } catch (error) {
    end(error);
  }
  return (abort) => {
    if (!isOver) leave(abort);
  };
}

type AgentEnd = Extract<AgentEvent, { type: "agent_end" }>;

function follow(agent: ListenableAgent, add: (event: AgentEvent) => void): (abort: boolean) => void {
  const unsubscribe = agent.subscribe(add);
  return (abort) => {
    unsubscribe();
    if (abort) agent.abort();
  };
}

function readEvents(
  events: AsyncIterable<AgentEvent>,
  add: (event: AgentEvent) => void,
  end: (error?: unknown) => void,
): (abort: boolean) => void {
  if (!events || !(Symbol.asyncIterator in events))
    throw new TypeError("The source must be an agent, or the events of a run");
  const iterator = events[Symbol.asyncIterator]();
  const leave = (): void => void iterator.return?.().catch(() => {});
  const read = async (): Promise<void> => {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) add(next.value);
  };
  read().then(
    () => end(),
    (error) => {
      leave();
      end(error);
    },
  );
  return (abort) => {
    if (abort) leave();
  };
}

/** Finds where a run waits for the answers of a page, and where it continues with them. */
class PendingApprovals {
  readonly #answers: ReadonlySet<string>;
  readonly #wait: (requests: readonly ApprovalRequest[]) => void;
  /** The requests that have neither an answer nor a decision. */
  readonly #open = new Map<string, ApprovalRequest>();
  #isContinued: boolean;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param wait called once all approvals of a response were requested */
  constructor(
    answers: readonly { readonly name: string }[] = [],
    wait: (requests: readonly ApprovalRequest[]) => void,
  ) {
    this.#answers = new Set(answers.map(({ name }) => name));
    this.#wait = wait;
    this.#isContinued = this.#answers.size === 0;
  }

  /** Returns whether the page needs the event. */
  see(event: AgentEvent): boolean {
    if (event.type === "approval_requested" && !this.#answers.has(event.request.name)) {
      this.#open.set(event.request.name, event.request);
    } else if (event.type === "approval_resolved") {
      this.#open.delete(event.request.name);
      this.#isContinued ||= this.#answers.has(event.request.name);
    }
    if (this.#isContinued && this.#open.size > 0) this.#schedule();
    return this.#isContinued || event.type === "agent_end";
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** The approvals are requested one right after the other, and no event tells which is the last. */
  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#open.size > 0) this.#wait([...this.#open.values()]);
    });
  }
}
