/** Joins the hooks of a list of middleware to one of each kind. */

import { type AbortGate, OperationAborted } from "../../abort-gate.js";
import { checkReturned } from "../../checks.js";
import type { ModelRequest } from "../../types/hooks.js";
import type { RunHooks, ToolVerdict, TurnDecision } from "../../types/middleware.js";
import type { StepToolCall } from "../../types/tool.js";
import type { AfterToolCallResult } from "../../types/tool-call-hooks.js";

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
  chooseTools: (hooks) => (tools) => hooks.reduce((chosen, hook) => hook(chosen), tools),
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
  beforePause: (hooks) => async (requests, toolCall, waiting) => {
    let kept = requests;
    for (const hook of hooks) kept = await hook(kept, toolCall, waiting);
    return kept;
  },
  beforeToolCall: (hooks) => async (call, signal) => {
    for (const hook of hooks) {
      const verdict = await hook(call, signal);
      checkReturned("beforeToolCall", verdict);
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
      checkReturned("afterToolCall", change);
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
  onEvent: (hooks, gate) => (event) => callEach(hooks, event, gate),
  end: (hooks, gate) => (outcome) => callEach(hooks.toReversed(), outcome, gate),
};

// Object.keys has no narrower type; the table names exactly these keys.
export const HOOK_NAMES = Object.keys(JOINS) as readonly (keyof RunHooks)[];

/** Joins the hooks of a list, of which the first is the outermost. A kind that none has is absent. */
export function composeHooks(list: readonly RunHooks[], gate: AbortGate): RunHooks {
  const composed: RunHooks = {};
  for (const name of HOOK_NAMES) join(composed, name, { list, gate });
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
export function bindHook<TName extends keyof RunHooks>(hooks: RunHooks, name: TName): Hook<TName> | undefined {
  const hook = hooks[name];
  // `bind` has no type for a union of functions.
  return typeof hook === "function" ? (hook.bind(hooks) as Hook<TName>) : undefined;
}

/**
 * Calls each hook, also after one has failed; the first error is thrown when all were called. After an abort the run waits no
 * longer than for a listener.
 */
async function callEach<TValue>(
  hooks: readonly ((value: TValue) => void | Promise<void>)[],
  value: TValue,
  gate: AbortGate,
): Promise<void> {
  const failures: { error: unknown }[] = [];
  for (const hook of hooks) {
    try {
      const called = hook(value);
      if (called) await gate.waitForObserver(called);
    } catch (error) {
      failures.push({ error });
    }
  }
  if (failures[0]) throw failures[0].error;
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
