/** The agent of a process: its settings and its middleware are random, and some hooks throw or are slow. */
import {
  Agent,
  type AgentMessage,
  type AgentMiddleware,
  type PauseAnswer,
  type PauseRequest,
  type RunHooks,
} from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { compact } from "pi-agent/compact";
import type { Random } from "../../../../test/support/random.js";
import { isSummary } from "../compact-script.js";
import { MODEL } from "../scripted-stream.js";
import { createFail, HOOKS } from "../throwing-hooks.js";
import { ChatChanges } from "./chat-changes.js";
import { type ChatServer, sleep } from "./chat-server.js";
import type { RunReaders } from "./run-readers.js";

/** How long a request can be answered, in some conversations. */
export const ANSWER_MS = 60_000;

/** What an agent gets from its process. */
export interface AgentSurroundings {
  random: Random;
  server: ChatServer;
  /** An open session. */
  session: AgentMiddleware & { readonly messages: AgentMessage[] };
  /** Nothing throws or is slow. */
  isCalm: boolean;
  now: () => number;
  /** Called while a hook works: anything may happen then. */
  interrupt: () => void;
  /** Pages read the runs of the agent. */
  readers?: RunReaders | undefined;
  /** Receives what is wrong with a request. */
  faults: string[];
}

/** An agent, and what its application changes beside the messages. */
export interface ChatAgent {
  agent: Agent;
  changes: ChatChanges;
}

export function createChatAgent(around: AgentSurroundings): ChatAgent {
  const { random, server, session, now, readers, faults } = around;
  const tools = server.tools();
  const changes = new ChatChanges(random, { tools, faults });
  const middleware = createMiddleware(around);
  const agent = new Agent({
    initialState: { model: MODEL, tools, messages: session.messages },
    streamFn: changes.check(server.streamFn, isSummary),
    middleware,
    now,
    ...(random.chance(0.3) && { prepareNextTurn: changes.prepareNextTurn }),
    onListenerError: () => {},
    toolExecution: random.pick(["parallel", "parallel", "sequential"]),
    onNewMessage: random.pick(["refuse", "decline"]),
    steeringMode: random.pick(["all", "one-at-a-time"]),
    followUpMode: random.pick(["all", "one-at-a-time"]),
  });
  changes.follow(agent);
  if (readers) middleware.push(readers.createMiddleware(() => agent.state.messages));
  return { agent, changes };
}

/** In any order. */
function createMiddleware({ random, session, isCalm, interrupt }: AgentSurroundings): AgentMiddleware[] {
  const timeout = random.chance(0.3) ? { timeoutMs: ANSWER_MS } : {};
  const list: AgentMiddleware[] = [approvals({ when: ({ tool }) => tool.name === "pay", pause: true, ...timeout })];
  const place = (one: AgentMiddleware): void => void list.splice(random.below(list.length + 1), 0, one);
  if (random.chance(0.5)) place(compact({ at: random.pick([0.1, 0.3]), keep: 20 }));
  place(session);
  if (!isCalm && random.chance(0.4)) place(createThrowing(random));
  if (!isCalm && random.chance(0.3)) place(createSlow(random, interrupt));
  if (!isCalm && random.chance(0.2)) place(createAdding(random));
  return list;
}

function createThrowing(random: Random): AgentMiddleware {
  const name = random.pick([...Object.keys(HOOKS), "begin"]);
  const fail = createFail({ at: 1 + random.below(4), always: random.chance(0.2) });
  // The keys of the table are the names of the hooks.
  const hook = HOOKS[name as keyof RunHooks];
  return {
    name: "throwing",
    begin: () => {
      if (!hook) fail();
      return hook ? { [name]: hook(fail) } : {};
    },
  };
}

/** Adds messages at any event, and after turns. */
function createAdding(random: Random): AgentMiddleware {
  return {
    name: "adding",
    begin: (run) => {
      const add = async (): Promise<void> => {
        if (!run.canAdd || random.chance(0.9)) return;
        const added = run.add({ role: "user", content: "By the way.", timestamp: 0 });
        if (random.chance(0.5)) await added;
      };
      return { onEvent: add, afterTurn: add };
    },
  };
}

function createSlow(random: Random, interrupt: () => void): AgentMiddleware {
  const wait = async (): Promise<undefined> => {
    if (random.chance(0.3)) await sleep(random.pick([1, 8]));
    interrupt();
  };
  const hooks: RunHooks = {
    beforeRequest: wait,
    afterTurn: wait,
    onEvent: wait,
    end: wait,
    transformContext: async (messages) => {
      await wait();
      return messages;
    },
  };
  // As above.
  const name = random.pick(Object.keys(hooks)) as keyof RunHooks;
  return { name: "slow", begin: () => ({ [name]: hooks[name] }) };
}

/** What a user answers to some of the requests. An answer to a question may not fit. */
export function chooseAnswers(random: Random, requests: readonly PauseRequest[]): PauseAnswer[] {
  const chosen = requests.filter(() => random.chance(0.7));
  return chosen.map(({ id, kind }): PauseAnswer => {
    const approved = random.chance(0.7);
    return kind === "question" ? { id, approved, value: { size: random.pick([1, "?"]) } } : { id, approved };
  });
}
