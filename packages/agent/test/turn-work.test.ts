/**
 * The cost of a turn must not depend on the number of earlier turns. Nothing is timed: copies and reads are counted, so
 * that a change that iterates over the whole conversation at each turn fails on any machine.
 */

import { Agent, type AgentEvent, type AgentLoopConfig, type AgentMessage, runAgentLoop, type StreamFn } from "pi-agent";
import type { AssistantMessage, Message } from "pi-ai";
import { beforeAll, expect, test, vi } from "vitest";
import { call, eventsOf, MODEL, response, streamOf, text, user } from "./scripted-stream.js";
import { tool } from "./scripted-tool.js";

const CALLS = 2;
/** An array longer than anything in one turn contains the conversation, or a part that grows with it. */
const LARGE = 40;

/** One run with a number of turns with tools. Counts all operations on it. */
interface Run {
  turns: number;
  streamFn: StreamFn;
  convertToLlm: (messages: AgentMessage[]) => Message[];
  onEvent: (event: AgentEvent) => void;
  /** Arrays in which the conversation was passed on. */
  converted: Set<AgentMessage[]>;
  conversions: number;
  /** How often the role of a message was read, per message of the model. */
  looks: number[];
  events: number;
}

function createRun(turns: number, readContext: boolean): Run {
  const run: Run = {
    turns,
    converted: new Set(),
    conversions: 0,
    looks: [],
    events: 0,
    streamFn: (_model, context) => {
      if (readContext) expect(new Set([context.messages, context.messages]).size).toBe(1);
      return streamOf(eventsOf(watch(run, run.looks.length < turns ? createCalls(run.looks.length) : text("done"))));
    },
    convertToLlm: (messages) => {
      run.conversions++;
      run.converted.add(messages);
      // Custom messages do not occur here.
      return messages as Message[];
    },
    onEvent: () => {
      run.events++;
    },
  };
  return run;
}

function createCalls(turn: number): AssistantMessage {
  return response(Array.from({ length: CALLS }, (_, index) => call(`${turn}-${index}`, "a")));
}

function watch(run: Run, message: AssistantMessage): AssistantMessage {
  const index = run.looks.push(0) - 1;
  return Object.defineProperty(message, "role", {
    enumerable: true,
    get: () => {
      run.looks[index] = (run.looks[index] ?? 0) + 1;
      return "assistant";
    },
  });
}

const LOOP = "runAgentLoop";
const AGENT = "Agent";
const AGENT_CONVERTS = "Agent with its own conversion";

const DRIVERS: Record<string, (run: Run) => Promise<unknown>> = {
  [LOOP]: ({ streamFn, convertToLlm, onEvent }) => {
    const config: AgentLoopConfig = { model: MODEL, convertToLlm, maxRepeats: 0 };
    const context = { systemPrompt: "", messages: [], tools: [tool("a")] };
    return runAgentLoop([user("hi")], context, config, onEvent, new AbortController().signal, streamFn);
  },
  [AGENT]: ({ streamFn, onEvent }) => promptAgent({ streamFn }, onEvent),
  [AGENT_CONVERTS]: ({ streamFn, convertToLlm, onEvent }) => promptAgent({ streamFn, convertToLlm }, onEvent),
};

function promptAgent(
  options: Pick<Run, "streamFn"> & Partial<Pick<Run, "convertToLlm">>,
  onEvent: Run["onEvent"],
): Promise<void> {
  const agent = new Agent({ ...options, maxRepeats: 0, initialState: { model: MODEL, tools: [tool("a")] } });
  agent.subscribe(onEvent);
  return agent.prompt(user("hi"));
}

/** The array methods that iterate over or copy the whole array. */
const WHOLE = [
  ...(["slice", "concat", "map", "filter", "flatMap", "flat", "splice", "toSpliced", "with", "toReversed"] as const),
  ...(["every", "some", "find", "findIndex", "findLast", "forEach", "reduce", "includes", "indexOf"] as const),
  ...(["values", "entries", "keys", "join", "sort", "toSorted", "reverse"] as const),
  Symbol.iterator,
] as const;

/** Runs, and counts the operations on arrays as long as a conversation: how often, and on how many elements. */
async function countWork(execute: () => Promise<unknown>): Promise<{ times: number; elements: number }> {
  const work = { times: 0, elements: 0 };
  const originals = WHOLE.map((name) => [name, Object.getOwnPropertyDescriptor(Array.prototype, name)] as const);
  for (const [name, descriptor] of originals) {
    const original: unknown = descriptor?.value;
    if (typeof original !== "function") throw new Error(`Array.prototype has no ${String(name)}`);
    Object.defineProperty(Array.prototype, name, {
      ...descriptor,
      value(this: unknown[], ...args: unknown[]) {
        if (this.length >= LARGE) {
          work.times++;
          work.elements += this.length;
        }
        return Reflect.apply(original, this, args);
      },
    });
  }
  try {
    await execute();
  } finally {
    for (const [name, descriptor] of originals) Object.defineProperty(Array.prototype, name, descriptor ?? {});
  }
  return work;
}

// The first run loads the tool code and compiles the schemas, which is not the work of a turn.
beforeAll(() => promptAgent({ streamFn: createRun(1, false).streamFn }, () => {}));

test.each(Object.entries(DRIVERS))(
  "%s never iterates over the conversation, whatever its length",
  async (_name, drive) => {
    for (const turns of [50, 200]) {
      const run = createRun(turns, false);
      expect(await countWork(() => drive(run))).toEqual({ times: 0, elements: 0 });
      expect(run.looks).toHaveLength(turns + 1);
    }
  },
);

test.each(Object.entries(DRIVERS))(
  "%s makes one snapshot for a request that reads its messages",
  async (_name, drive) => {
    const turns = 100;
    const work = await countWork(() => drive(createRun(turns, true)));
    // The prompt, and for each earlier turn a response with its results.
    const lengths = Array.from({ length: turns + 1 }, (_, turn) => 1 + turn * (CALLS + 1));
    const large = lengths.filter((length) => length >= LARGE);
    expect(work).toEqual({ times: large.length, elements: large.reduce((sum, length) => sum + length, 0) });
  },
);

test.each(Object.entries(DRIVERS))(
  "%s reads each message as often in a long run as in a short one",
  async (name, drive) => {
    const [short, long] = [createRun(20, false), createRun(200, false)];
    await drive(short);
    await drive(long);
    expect(Math.max(...long.looks)).toBe(Math.max(...short.looks));
    expect(Math.max(...long.looks)).toBeLessThanOrEqual(20);
    // An event of each kind reaches a listener once.
    const eventsOfTurn = (long.events - short.events) / (long.turns - short.turns);
    expect(eventsOfTurn).toBe(1 + (1 + 3 * CALLS + 1) + 4 * CALLS + 1);
    if (name === AGENT) return;
    expect(long.conversions).toBe(long.turns + 1);
    expect(long.converted.size).toBe(1);
  },
);

test.each(Object.entries(DRIVERS))(
  "%s adds one listener to a signal per run, and starts no timer",
  async (_name, drive) => {
    const add = vi.spyOn(AbortSignal.prototype, "addEventListener");
    const timer = vi.spyOn(globalThis, "setTimeout");
    try {
      await drive(createRun(20, false));
      expect(add).toHaveBeenCalledTimes(1);
      expect(timer).not.toHaveBeenCalled();
    } finally {
      vi.restoreAllMocks();
    }
  },
);
