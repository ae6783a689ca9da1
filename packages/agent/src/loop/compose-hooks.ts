/** Begins the middleware of a run, and makes one hook of each kind out of those of all. Few runs load this module. */
import type { RunStop } from "../types/event.js";
import type { ModelRequest, TransformContextHook, WrapModelCallHook } from "../types/hooks.js";
import type { AgentMessage } from "../types/message.js";
import type {
  AgentMiddleware,
  FinishedTurn,
  RunHooks,
  RunOutcome,
  ToolVerdict,
  TurnDecision,
} from "../types/middleware.js";
import type { StepToolCall } from "../types/tool.js";
import type {
  AfterToolCallHook,
  AfterToolCallResult,
  BeforeToolCallHook,
  WrapToolCallHook,
} from "../types/tool-call-hooks.js";
import { OperationAborted } from "./abort-gate.js";
import type { AgentRun, RunMiddleware } from "./agent-run.js";
import type { Forkable } from "./fork-run.js";
import { createMiddlewareRun } from "./middleware-run.js";
import { isRunStopped, RunStopped } from "./run-stopped.js";
import { attempt, resultOf, storeWork, takeStep } from "./step-record.js";

/** A middleware that has begun. */
interface Begun {
  readonly name: string;
  readonly isRepeatable: boolean;
  readonly hooks: RunHooks;
}

/**
 * Begins the run of each middleware, and puts the composed hooks in place of those of the configuration. The single hooks
 * of the configuration frame the list: they come first, so that the application sees each request that is sent and has the
 * last word on results, and its `transformContext` comes last, so that the model gets what it returns.
 *
 * @throws TypeError for an entry that is not middleware, or a list whose order a member forbids
 */
export async function beginAll(run: AgentRun, begin: Forkable["begin"]): Promise<void> {
  const middleware = await findMiddleware(run);
  checkMiddleware(middleware);
  const { config } = run;
  const { transformContext, wrapModelCall, beforeToolCall, wrapToolCall, afterToolCall } = config;
  const first = withDefined({ wrapModelCall, beforeToolCall, wrapToolCall, afterToolCall });
  const last = withDefined({ transformContext });
  const begun: Begun[] = [];
  const names = middleware.map(({ name }) => name);
  // The output is begun anew with the configuration.
  const list = config.output ? middleware.slice(0, -1) : middleware;
  const forkable = { config: run.given, streamFn: run.streamFn, middleware: list, begin };
  let failure: { readonly error: unknown } | undefined;
  for (const [place, one] of middleware.entries()) {
    const others = () => composeRequestHooks([first, ...hooksOf(begun.filter((_, index) => index !== place)), last]);
    try {
      const hooks = one.begin(createMiddlewareRun(run, one.name, { names, others, forkable }));
      if (typeof hooks !== "object" || hooks === null)
        throw new TypeError(`begin of the middleware "${one.name}" must return an object of hooks`);
      begun.push({ name: one.name, isRepeatable: one.isRepeatable ?? false, hooks });
    } catch (error) {
      // Those before it have begun. They see the failure of the run, and its end.
      failure = { error };
      break;
    }
  }
  const all = hooksOf(begun);
  const framed = [first, ...all, last];
  Object.assign(config, composeRequestHooks(framed), composeToolHooks(framed));
  const receivers = pick(all, "onEvent");
  if (receivers.length > 0) run.observe = observer(run, receivers);
  const own = run.middleware.all;
  run.middleware = {
    names,
    all: [...own, ...all],
    beforeRequest: beforeEach(run, begun),
    prepareRequest: preparedByEach(pick(all, "prepareRequest")),
    recover: untilRecovered(pick(all, "recover")),
    onRemembered: compose(pick(all, "onRemembered"), callEach),
    onRememberedCall: compose(pick(all, "onRememberedCall"), callEach),
    tools: compose(pick(all, "tools"), (several) => (message) => several.flatMap((hook) => hook(message) ?? [])),
    beforeTools: joinVerdicts(pick(all, "beforeTools")),
    afterTurn: mergeDecisions([...pick(own, "afterTurn"), ...begun.flatMap((one) => findDecider(run, one))]),
    beforeMessages: compose(pick([...own, ...all], "beforeMessages"), callEach),
    end: (outcome) => endHooks(run, outcome),
  };
  if (failure) throw failure.error;
}

/** What the run inherits is the outermost, and its output the innermost. */
async function findMiddleware({ config, gate, parent }: AgentRun): Promise<AgentMiddleware[]> {
  const own = config.middleware ?? [];
  // The run of the parent put them there.
  const above = (parent?.run.middleware ?? []) as readonly AgentMiddleware[];
  const inherited = above.filter((one) => !own.includes(one));
  const all = [...inherited, ...own];
  if (!config.output) return all;
  const { output } = await gate.wait(import("../middleware/output/output.js"));
  return [...all, output(config.output)];
}

function hooksOf(begun: readonly Begun[]): RunHooks[] {
  return begun.map(({ hooks }) => hooks);
}

function composeRequestHooks(framed: readonly RunHooks[]): Pick<RunHooks, "transformContext" | "wrapModelCall"> {
  return withDefined({
    transformContext: inSequence(pick(framed, "transformContext")),
    wrapModelCall: aroundRequest(framed),
  });
}

function composeToolHooks(framed: readonly RunHooks[]): RunHooks {
  return withDefined({
    beforeToolCall: firstVeto(pick(framed, "beforeToolCall")),
    wrapToolCall: aroundToolCall(pick(framed, "wrapToolCall")),
    afterToolCall: lastWord(pick(framed, "afterToolCall").reverse()),
  });
}

/** Calls the last hook of each middleware, in reverse order. The first error is thrown when all were called. */
async function endHooks(run: AgentRun, outcome: RunOutcome): Promise<void> {
  const failures: { error: unknown }[] = [];
  for (const hooks of run.middleware.all.toReversed()) {
    try {
      const ended = hooks.end?.(outcome);
      if (ended) await run.gate.waitForObserver(ended);
    } catch (error) {
      failures.push({ error });
    }
  }
  if (failures[0]) throw failures[0].error;
}

function beforeEach(run: AgentRun, begun: readonly Begun[]): RunMiddleware["beforeRequest"] {
  const own = begun.filter(({ hooks }) => hooks.beforeRequest);
  if (own.length === 0) return undefined;
  return async () => {
    for (const one of own) await callBefore(run, one);
  };
}

/** Calls a `beforeRequest` as a step. */
async function callBefore(run: AgentRun, { name, hooks }: Begun): Promise<void> {
  const stop = await takeStep(run, `${name}/beforeRequest`, () => callUntilStop(run, hooks));
  if (stop) throw new RunStopped(stop);
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

/** Makes the decision of a hook a step, with the messages that the hook adds and what it requests beside the conversation. */
function storeDecision(run: AgentRun, name: string, hook: AfterTurn): AfterTurn {
  return async (turn) => {
    const { stored } = await storeWork(
      run,
      async (work) => (await run.steps.decide(`${name}/afterTurn`, () => work(undefined))) ?? {},
      async (): Promise<TurnDecision & { threw?: string | undefined }> => {
        const { value, threw } = await attempt(run, () => hook(turn));
        return { ...value, threw };
      },
    );
    const { added: _added, beside: _beside, threw, ...decision } = stored;
    return resultOf({ value: decision, threw });
  };
}

type Verdicts = NonNullable<RunHooks["beforeTools"]>;

/** Each hook decides about the calls that those before it let run. */
function joinVerdicts(hooks: readonly Verdicts[]): RunMiddleware["beforeTools"] {
  if (hooks.length === 0) return undefined;
  return async (calls) => {
    const verdicts = new Map<StepToolCall, ToolVerdict>();
    for (const hook of hooks) {
      const open = calls.filter((call) => !verdicts.get(call)?.block);
      // A verdict that is a promise would let its call run.
      const given = open.length > 0 ? await Promise.all((await hook(open)) ?? []) : [];
      for (const [index, call] of open.entries()) verdicts.set(call, given[index]);
    }
    return calls.map((call) => verdicts.get(call));
  };
}

type Receiver = NonNullable<RunHooks["onEvent"]>;

/** Passes events on one after the other. After an abort it waits no longer than for a listener. */
function observer(run: AgentRun, receivers: readonly Receiver[]): AgentRun["observe"] {
  return async (event, delivered) => {
    await delivered;
    for (const receive of receivers) {
      const received = receive(event);
      if (received) await run.gate.waitForObserver(received);
    }
  };
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

function withDefined(hooks: { [TName in keyof RunHooks]: RunHooks[TName] | undefined }): RunHooks {
  // The entries are those of `hooks` that are set.
  return Object.fromEntries(Object.entries(hooks).filter(([, hook]) => hook !== undefined)) as RunHooks;
}

/** The hooks of one kind. They are bound, because a hook may be a method that uses `this`. */
function pick<TName extends keyof RunHooks>(
  all: readonly { [TKey in TName]?: RunHooks[TKey] | undefined }[],
  name: TName,
): NonNullable<RunHooks[TName]>[] {
  return all.flatMap((hooks) => {
    const hook = hooks[name];
    // Its type is that of the name; `bind` has no type for a union of functions.
    return typeof hook === "function" ? [hook.bind(hooks) as NonNullable<RunHooks[TName]>] : [];
  });
}

/** Of no hook there is none, and of one hook it is the hook itself. */
function compose<THook>(hooks: readonly THook[], join: (hooks: readonly THook[]) => THook): THook | undefined {
  return hooks.length > 1 ? join(hooks) : hooks[0];
}

function callEach<TArgs extends unknown[]>(hooks: readonly ((...args: TArgs) => void)[]): (...args: TArgs) => void {
  return (...args) => {
    for (const hook of hooks) hook(...args);
  };
}

type PrepareRequest = NonNullable<RunHooks["prepareRequest"]>;

/** A hook that returns nothing changes nothing. */
function preparedByEach(hooks: readonly PrepareRequest[]): PrepareRequest | undefined {
  if (hooks.length === 0) return undefined;
  return (request) => hooks.reduce((built, hook) => hook(built) ?? built, request);
}

function inSequence(hooks: readonly TransformContextHook[]): TransformContextHook | undefined {
  return compose(hooks, (several) => async (messages, signal) => {
    let seen = messages;
    for (const hook of several) seen = await hook(seen, signal);
    return seen;
  });
}

/** Those that may answer a request themselves come before those that want to see it sent. */
function aroundRequest(all: readonly RunHooks[]): WrapModelCallHook | undefined {
  return aroundModelCall([...pick(all, "wrapModelCall"), ...pick(all, "wrapSend")]);
}

function aroundModelCall(hooks: readonly WrapModelCallHook[]): WrapModelCallHook | undefined {
  return compose(hooks, (several) =>
    several.reduceRight(
      (inner, outer) => (request, send, signal) =>
        outer(request, (next) => inner(withOrigin(next, request), send, signal), signal),
    ),
  );
}

/** A hook may build a request from its parts, so the origin is kept here. */
function withOrigin(next: ModelRequest, { origin }: ModelRequest): ModelRequest {
  return origin === undefined || next.origin === origin ? next : { ...next, origin };
}

type RecoverHook = NonNullable<RunHooks["recover"]>;

function untilRecovered(hooks: readonly RecoverHook[]): RecoverHook | undefined {
  return compose(hooks, (several) => async (response) => {
    for (const hook of several) if (await hook(response)) return true;
    return false;
  });
}

function aroundToolCall(hooks: readonly WrapToolCallHook[]): WrapToolCallHook | undefined {
  return compose(hooks, (several) =>
    several.reduceRight(
      (inner, outer) => (call, execute, signal) =>
        // After an abort the tool will not run, so those further inside need not see the call.
        outer(
          call,
          () => (signal?.aborted ? Promise.reject(new OperationAborted()) : inner(call, execute, signal)),
          signal,
        ),
    ),
  );
}

function firstVeto(hooks: readonly BeforeToolCallHook[]): BeforeToolCallHook | undefined {
  return compose(hooks, (several) => async (call, signal) => {
    for (const hook of several) {
      const verdict = await hook(call, signal);
      if (verdict?.block) return verdict;
    }
    return undefined;
  });
}

function lastWord(hooks: readonly AfterToolCallHook[]): AfterToolCallHook | undefined {
  return compose(hooks, (several) => async (call, signal) => {
    let changes: AfterToolCallResult | undefined;
    for (const hook of several) {
      const { isError = call.isError, ...fields } = changes ?? {};
      const change = await hook({ ...call, isError, result: { ...call.result, ...fields } }, signal);
      if (change) changes = { ...changes, ...change };
    }
    return changes;
  });
}

type AfterTurn = NonNullable<RunHooks["afterTurn"]>;

/** The messages of a decision say by whom, like those that `add` adds. */
function findDecider(run: AgentRun, { name, isRepeatable, hooks }: Begun): AfterTurn[] {
  const decide = hooks.afterTurn?.bind(hooks);
  if (!decide) return [];
  const mark = (message: AgentMessage): AgentMessage =>
    message.role === "user" ? { origin: name, ...message } : message;
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook may have no return statement.
  const markAll = (decision: TurnDecision | undefined | void) =>
    decision?.messages ? { ...decision, messages: decision.messages.map(mark) } : decision;
  const marked: AfterTurn = (turn) => {
    const decided = decide(turn);
    return decided instanceof Promise ? decided.then(markAll) : markAll(decided);
  };
  return [isRepeatable || !run.steps.stores ? marked : storeDecision(run, name, marked)];
}

/** Returns a promise only if a hook does. */
function mergeDecisions(hooks: readonly AfterTurn[]): RunMiddleware["afterTurn"] {
  if (hooks.length === 0) return undefined;
  return (turn) => {
    let merged: TurnDecision = {};
    for (const [index, hook] of hooks.entries()) {
      const decided = hook(turn);
      if (decided instanceof Promise) return mergeLater(merged, decided, hooks.slice(index + 1), turn);
      if (decided) merged = merge(merged, decided);
    }
    return merged;
  };
}

async function mergeLater(
  sofar: TurnDecision,
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook may have no return statement.
  pending: Promise<TurnDecision | undefined | void>,
  rest: readonly AfterTurn[],
  turn: FinishedTurn,
): Promise<TurnDecision> {
  const decided = await pending;
  let merged = decided ? merge(sofar, decided) : sofar;
  for (const hook of rest) {
    const next = await hook(turn);
    if (next) merged = merge(merged, next);
  }
  return merged;
}

function merge(one: TurnDecision, next: TurnDecision): TurnDecision {
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
