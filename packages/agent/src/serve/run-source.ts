/** The source of a run's events, for the stream formats of other frameworks. */
import type { ApprovalRequest } from "../types/approval.js";
import type { AgentEvent, AgentListener } from "../types/event.js";
import { PendingApprovals } from "./pending-approvals.js";
import { completeResponses } from "./whole-responses.js";

/** An agent whose next run is followed; `Agent` is one. */
export interface ListenableAgent {
  /** Calls a function with every event; returns the function that unsubscribes it. */
  subscribe(listener: AgentListener): () => unknown;
  /** Stops the run. */
  abort(): void;
}

/** An agent, or the events of one run, as `agentLoop` returns them. */
export type RunSource = ListenableAgent | AsyncIterable<AgentEvent>;

/** Options that start a run. */
export interface RunStart {
  /**
   * Starts the run, such as `() => agent.prompt("Hi")`. Called once the agent's events have a listener. A rejection becomes
   * a failure of the run. Without this option, start the run yourself after the function has returned.
   */
  run?: () => Promise<unknown>;
  /**
   * The answers with which a page continues a run, by the names of their requests. The stream begins where the run takes the
   * first of them: the page has what was before. Default: none, and the stream begins with the run.
   */
  answers?: readonly { readonly name: string }[];
}

/** Receives the events and the end of a run. Every response has all of its updates, as `completeResponses` says. */
export interface RunHandlers {
  event(event: AgentEvent): void;
  /** Called last, when the run waits for answers that the page does not know of. The run is followed no longer. */
  wait(requests: readonly ApprovalRequest[]): void;
  /** Called last, when the run is over, with the error if its source threw one. */
  end(error?: Error): void;
}

/** Follows one run. Returns the function that stops following it, and aborts the run if asked to. */
export function followRun(source: RunSource, start: RunStart, handlers: RunHandlers): (abort: boolean) => void {
  let isOver = false;
  const end = (error?: unknown): void => {
    if (isOver) return;
    leave(false);
    handlers.end(error === undefined || error instanceof Error ? error : new Error(String(error)));
  };
  const approvals = new PendingApprovals(start.answers, (requests) => {
    leave(false);
    handlers.wait(requests);
  });
  const handle = completeResponses((event) => handlers.event(event));
  const add = (event: AgentEvent): void => {
    if (isOver) return;
    try {
      if (approvals.see(event)) handle(event);
    } catch (error) {
      // A callback of the application threw. The stream must end all the same.
      if (event.type === "agent_end") end(error);
      throw error;
    }
    if (event.type === "agent_end") end();
  };
  const stop = "subscribe" in source ? follow(source, add) : readEvents(source, add, end);
  const leave = (abort: boolean): void => {
    isOver = true;
    approvals.stop();
    stop(abort);
  };
  try {
    // A function without a return value has started the run, too.
    start.run?.()?.then(() => end(), end);
  } catch (error) {
    end(error);
  }
  return (abort) => {
    if (!isOver) leave(abort);
  };
}

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
  if (!(Symbol.asyncIterator in events)) throw new TypeError("The source must be an agent, or the events of a run");
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
