/** Begins the middleware of a run, and joins the hooks of all of them to one of each kind. */
import { isRunStopped, RunStopped } from "../errors.js";
import { limitRepeats } from "../middleware/repeats.js";
import type { RunStop } from "../types/event.js";
import type { ModelRequest } from "../types/hooks.js";
import type { AgentMessage } from "../types/message.js";
import type { AgentMiddleware, FinishedTurn, RunHooks, ToolVerdict, TurnDecision } from "../types/middleware.js";
import type { StepToolCall } from "../types/tool.js";
import type { AfterToolCallResult } from "../types/tool-call-hooks.js";
import { type AbortGate, OperationAborted } from "./abort-gate.js";
import type { AgentRun } from "./agent-run.js";
import { createMiddlewareRun } from "./middleware-run.js";
import { pickCallSettings } from "./settings.js";

type Hook<TName extends keyof RunHooks> = NonNullable<RunHooks[TName]>;
type Join<TName extends keyof RunHooks> = (hooks: readonly Hook<TName>[], gate: AbortGate) => Hook<TName>;

/**
 * How the hooks of one kind become one: from the first of the list to the last, from the last to the first, or around each
 * other with the first outermost. A new hook is one row.
 */
const JOINS: { readonly [TName in keyof RunHooks]-?: Join<TName> } = {
  beforeRequest: (hooks) => async () => {
    for (const hook of hooks) await hook();
  },
  transformContext: (hooks) => async (messages, signal) => {
    let seen = messages;
    for (const hook of hooks) seen = await hook(seen, signal);
    return seen;
  },
  // A hook that returns nothing changes nothing.
  prepareRequest: (hooks) => (request) => hooks.reduce((built, hook) => hook(built) ?? built, request),
  wrapModelCall: aroundModelCall,
  wrapSend: aroundModelCall,
  recover: (hooks) => async (response) => {
    for (const hook of hooks) if (await hook(response)) return true;
    return false;
  },
  tools: (hooks) => (message) => hooks.flatMap((hook) => hook(message) ?? []),
  beforeTools: (hooks) => async (calls) => {
    const verdicts = new Map<StepToolCall, ToolVerdict>();
    for (const hook of hooks) {
      // Each hook decides about the calls that those before it let run.
      const open = calls.filter((call) => !(verdicts.get(call)?.block || verdicts.get(call)?.pause));
      // A verdict that is a promise would let its call run.
      const given = open.length > 0 ? await Promise.all((await hook(open)) ?? []) : [];
      for (const [index, call] of open.entries()) verdicts.set(call, given[index]);
    }
    return calls.map((call) => verdicts.get(call));
  },
  beforePause: (hooks) => async (requests, toolCall) => {
    let kept = requests;
    for (const hook of hooks) kept = await hook(kept, toolCall);
    return kept;
  },
  beforeToolCall: (hooks) => async (call, signal) => {
    for (const hook of hooks) {
      const verdict = await hook(call, signal);
      if (verdict?.block) return verdict;
    }
    return undefined;
  },
  wrapToolCall: (hooks) =>
    hooks.reduceRight((inner, outer) => (call, execute, signal) => {
      // After an abort the tool will not run, so those further inside need not see the call.
      const next = () => (signal?.aborted ? Promise.reject(new OperationAborted()) : inner(call, execute, signal));
      return outer(call, next, signal);
    }),
  afterToolCall: (hooks) => async (call, signal) => {
    let changes: AfterToolCallResult | undefined;
    for (const hook of hooks.toReversed()) {
      const { isError = call.isError, ...fields } = changes ?? {};
      const seen = changes ? { ...call, isError, result: { ...call.result, ...fields } } : call;
      const change = await hook(seen, signal);
      if (typeof change === "object" && change !== null) changes = { ...changes, ...change };
    }
    return changes;
  },
  afterTurn: (hooks) => async (turn) => {
    let merged: TurnDecision = {};
    for (const hook of hooks) {
      const decision = await hook(turn);
      if (decision) merged = mergeDecisions(merged, decision);
    }
    return merged;
  },
  beforeMessages: inOrder,
  onRemembered: inOrder,
  onRememberedCall: inOrder,
  // After an abort the run waits no longer than for a listener, and each still sees the event.
  onEvent: (hooks, gate) => async (event) => {
    for (const hook of hooks) {
      const seen = hook(event);
      if (seen) await gate.waitForObserver(seen);
    }
  },
  // The first error is thrown when all were called.
  end: (hooks, gate) => async (outcome) => {
    const failures: { error: unknown }[] = [];
    for (const hook of hooks.toReversed()) {
      try {
        const ended = hook(outcome);
        if (ended) await gate.waitForObserver(ended);
      } catch (error) {
        failures.push({ error });
      }
    }
    if (failures[0]) throw failures[0].error;
  },
};

// Object.keys has no narrower type; the table names exactly these keys.
const NAMES = Object.keys(JOINS) as readonly (keyof RunHooks)[];

/** Joins the hooks of a list, of which the first is the outermost. A kind that none has is absent. */
export function composeHooks(list: readonly RunHooks[], gate: AbortGate): RunHooks {
  const composed: RunHooks = {};
  for (const name of NAMES) join(composed, name, { list, gate });
  const { wrapModelCall, wrapSend } = composed;
  // Those that may answer a request themselves come before those that want to see it sent.
  const around = [wrapModelCall, wrapSend].filter((hook) => hook !== undefined);
  if (around.length > 0) composed.wrapModelCall = aroundModelCall(around);
  return composed;
}

function join<TName extends keyof RunHooks>(
  composed: RunHooks,
  name: TName,
  { list, gate }: { list: readonly RunHooks[]; gate: AbortGate },
): void {
  const hooks = list.map((one) => bindHook(one, name)).filter((hook) => hook !== undefined);
  // The compiler does not relate the row of a name to the hooks of the same name.
  const joinAll = JOINS[name] as unknown as Join<TName>;
  if (hooks.length > 0) Object.assign(composed, { [name]: joinAll(hooks, gate) });
}

/** A hook may be a method that uses `this`. */
function bindHook<TName extends keyof RunHooks>(hooks: RunHooks, name: TName): Hook<TName> | undefined {
  const hook = hooks[name];
  // `bind` has no type for a union of functions.
  return typeof hook === "function" ? (hook.bind(hooks) as Hook<TName>) : undefined;
}

function inOrder<TArgs extends unknown[]>(hooks: readonly ((...args: TArgs) => void)[]): (...args: TArgs) => void {
  return (...args) => {
    for (const hook of hooks) hook(...args);
  };
}

function aroundModelCall(hooks: readonly Hook<"wrapModelCall">[]): Hook<"wrapModelCall"> {
  return hooks.reduceRight(
    (inner, outer) => (request, send, signal) =>
      outer(request, (next) => inner(withOrigin(next, request), send, signal), signal),
  );
}

/** A hook may build a request from its parts, so the origin is kept here. */
function withOrigin(next: ModelRequest, { origin }: ModelRequest): ModelRequest {
  return origin === undefined || next.origin === origin ? next : { ...next, origin };
}

function mergeDecisions(one: TurnDecision, next: TurnDecision): TurnDecision {
  const stop = one.stop ?? next.stop;
  const messages = [...(one.messages ?? []), ...(next.messages ?? [])];
  return {
    end: one.end || next.end || false,
    done: one.done || next.done || false,
    demand: one.demand || next.demand || false,
    messages,
    ...(stop && { stop }),
    ...((one.update ?? next.update) && { update: { ...one.update, ...next.update } }),
  };
}

// --- A run begins.

/**
 * Begins the middleware of a run, and puts the composed hooks in place of those of the configuration. The single hooks of the
 * configuration frame the list: they come first, so that the application sees each request that is sent and has the last word
 * on results, and its `transformContext` comes last, so that the model gets what it returns.
 *
 * @throws TypeError for an entry that is not middleware, or a list whose order a member forbids; what `begin` of one throws
 */
export function beginMiddleware(run: AgentRun): void {
  const { config, gate } = run;
  const { wrapModelCall, beforeToolCall, wrapToolCall, afterToolCall, transformContext } = config;
  const first = withDefined({ wrapModelCall, beforeToolCall, wrapToolCall, afterToolCall });
  const last = withDefined({ transformContext });
  const begun: RunHooks[] = [limitRepeats(run.rounds, config.maxRepeats)];
  const list = listMiddleware(run);
  const compose = (hooks: readonly RunHooks[]): RunHooks => composeHooks([first, ...hooks, last], gate);
  // The output is begun anew with the configuration.
  const middleware = run.output ? list.slice(0, -1) : list;
  const forkable = { config: run.given, streamFn: run.streamFn, middleware, begin: beginFork };
  try {
    checkMiddleware(list);
    const names = list.map(({ name }) => name);
    for (const one of list) {
      const place = begun.length;
      const others = (): RunHooks => compose(begun.filter((_, index) => index !== place));
      const hooks = one.begin(createMiddlewareRun(run, one.name, { names, others, forkable }));
      if (typeof hooks !== "object" || hooks === null)
        throw new TypeError(`begin of the middleware "${one.name}" must return an object of hooks`);
      begun.push(withSteps(run, one, hooks));
    }
  } finally {
    // If one fails, those before it have begun. They see the failure of the run, and its end.
    const composed = compose(begun);
    run.middleware = { ...composed, names: list.map((one) => one?.name) };
    for (const name of OF_CONFIG) if (composed[name]) Object.assign(config, { [name]: composed[name] });
    run.callSettings = pickCallSettings(config);
  }
}

/** Ends the middleware of a run, also of one that failed. */
export async function endMiddleware(run: AgentRun): Promise<void> {
  run.close();
  const { newMessages: messages, stop, steps } = run;
  await run.middleware.end?.({ messages, stop, failure: steps.failure?.error });
}

/** The hooks that the configuration has, too. */
const OF_CONFIG = ["transformContext", "wrapModelCall", "beforeToolCall", "wrapToolCall", "afterToolCall"] as const;

/** What the run inherits is the outermost, and its output the innermost. */
function listMiddleware({ config, parent, output }: AgentRun): AgentMiddleware[] {
  const own = config.middleware ?? [];
  // The run of the parent put them there.
  const above = (parent?.run.middleware ?? []) as readonly AgentMiddleware[];
  const inherited = above.filter((one) => !own.includes(one));
  return [...inherited, ...own, ...(output ? [output] : [])];
}

/** Adds the middleware for the setting `output`. It comes with the validator, which most runs do not need. */
export async function addOutput(run: AgentRun): Promise<void> {
  if (!run.config.output) return;
  const { output } = await import("../middleware/output/output.js");
  run.output = output(run.config.output);
}

async function beginFork(run: AgentRun): Promise<void> {
  await addOutput(run);
  beginMiddleware(run);
}

function checkMiddleware(middleware: readonly AgentMiddleware[]): void {
  const places = new Map<string, number>();
  for (const [index, one] of middleware.entries()) {
    // The list may come from plain JavaScript.
    const { name, begin }: Partial<AgentMiddleware> = one ?? {};
    if (typeof name !== "string" || typeof begin !== "function")
      throw new TypeError(`middleware[${index}] must have a name and a function begin, such as limits({ ... })`);
    places.set(name, index);
  }
  for (const [index, one] of middleware.entries()) checkOrder(one, index, places);
}

function checkOrder({ name, order }: AgentMiddleware, index: number, places: ReadonlyMap<string, number>): void {
  const late = order?.outside?.find((other) => (places.get(other) ?? index) > index);
  if (late !== undefined) throw new TypeError(describeOrder(late, name));
  const early = order?.inside?.find((other) => (places.get(other) ?? index) < index);
  if (early !== undefined) throw new TypeError(describeOrder(name, early));
}

function describeOrder(first: string, second: string): string {
  return `The middleware "${first}" must come before "${second}" in the list`;
}

/** Makes the hooks that have effects, or decide, steps of the run under the name of their middleware. */
function withSteps(run: AgentRun, { name, isRepeatable }: AgentMiddleware, hooks: RunHooks): RunHooks {
  const { beforeRequest, afterTurn } = hooks;
  const own: RunHooks = {};
  for (const hook of NAMES) Object.assign(own, { [hook]: bindHook(hooks, hook) });
  if (beforeRequest)
    own.beforeRequest = async () => {
      const stop = await run.steps.step(`${name}/beforeRequest`, () => callUntilStop(run, hooks));
      if (stop) throw new RunStopped(stop);
    };
  if (afterTurn) {
    // The messages of a decision say by whom, like those that `add` adds.
    const mark = (message: AgentMessage): AgentMessage =>
      message.role === "user" ? { origin: name, ...message } : message;
    const decide = async (turn: FinishedTurn): Promise<TurnDecision | undefined> => {
      const decision = (await hooks.afterTurn?.(turn)) || undefined;
      return decision?.messages ? { ...decision, messages: decision.messages.map(mark) } : decision;
    };
    own.afterTurn = isRepeatable ? decide : (turn) => run.steps.decide(`${name}/afterTurn`, () => decide(turn));
  }
  return own;
}

/** Returns the limit that refused a request of the hook: a stored error would be a text only. An abort is seen later. */
async function callUntilStop({ gate }: AgentRun, hooks: RunHooks): Promise<RunStop | undefined> {
  try {
    gate.check();
    await gate.wait(hooks.beforeRequest?.());
    return undefined;
  } catch (error) {
    if (isRunStopped(error)) return error.stop;
    if (gate.aborted) return undefined;
    throw error;
  }
}

function withDefined(hooks: { [TName in keyof RunHooks]: RunHooks[TName] | undefined }): RunHooks {
  // The entries are those of `hooks` that are set.
  return Object.fromEntries(Object.entries(hooks).filter(([, hook]) => hook !== undefined)) as RunHooks;
}
