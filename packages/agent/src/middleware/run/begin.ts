/** Begins and ends the middleware of a run. */
import { findMisspelt, nearestName } from "pi-ai/call";
import { describeValue } from "../../checks.js";
import { isRunStopped, RunStopped } from "../../errors.js";
import type { AgentRun } from "../../loop/index.js";
import { limitRepeats } from "../../repeated-rounds.js";
import { isSetting } from "../../settings.js";
import type { RunStop } from "../../types/event.js";
import type { AgentMessage } from "../../types/message.js";
import type { AgentMiddleware, FinishedTurn, RunHooks, TurnDecision } from "../../types/middleware.js";
import { bindHook, composeHooks, HOOK_NAMES } from "./compose.js";
import { createMiddlewareRun } from "./middleware-run.js";

/**
 * Begins the middleware of a run, and gives the run the composed hooks. The single hooks of the
 * configuration frame the list: they come first, so that the application is around all middleware and has the last word
 * on results, and its `transformContext` comes last, so that the model gets what it returns.
 *
 * @throws TypeError for an entry that is not middleware, or a list whose order a member forbids; what `begin` of one throws
 */
export function beginMiddleware(run: AgentRun, output?: AgentMiddleware): void {
  const { gate, options } = run;
  const { config, ownHooks } = run.settings;
  const first = withDefined({ ...ownHooks, transformContext: undefined });
  const last = withDefined({ transformContext: ownHooks.transformContext });
  const begun: RunHooks[] = [limitRepeats(run.ending.rounds, config.maxRepeats)];
  const list = listMiddleware(run, output);
  const compose = (hooks: readonly RunHooks[]): RunHooks => composeHooks([first, ...hooks, last], gate);
  // The output is begun anew with the configuration.
  const middleware = output ? list.slice(0, -1) : list;
  const forkable = { config: options.config, streamFn: options.streamFn, middleware, begin: beginFork };
  const failures: { error: unknown }[] = [];
  try {
    checkMiddleware(list);
    const names = list.map(({ name }) => name);
    for (const one of list) {
      const place = begun.length;
      const others = (): RunHooks => compose(begun.filter((_, index) => index !== place));
      try {
        const hooks = one.begin(createMiddlewareRun(run, one.name, { names, others, forkable }));
        if (typeof hooks !== "object" || hooks === null)
          throw new TypeError(`begin of the middleware "${one.name}" must return an object of hooks`);
        checkHooks(one.name, hooks);
        begun.push(withSteps(run, one, hooks));
      } catch (error) {
        // The others begin all the same: they see the failure of the run and its end, and a session stores its messages.
        failures.push({ error });
      }
    }
  } finally {
    const composed = compose(begun);
    run.useMiddleware(
      composed,
      list.map((one) => one?.name),
    );
  }
  if (failures[0]) throw failures[0].error;
}

/** Ends the middleware of a run, also of one that failed. */
export async function endMiddleware(run: AgentRun): Promise<void> {
  const { events, transcript, ending, steps } = run;
  events.close();
  await run.middleware.end?.({ messages: transcript.newMessages, stop: ending.stop, failure: steps.failure?.error });
}

/** The list of the run: inherited middleware is the outermost, and that of the output the innermost. */
function listMiddleware({ options }: AgentRun, output: AgentMiddleware | undefined): AgentMiddleware[] {
  const own = options.config.middleware ?? [];
  // The run of the parent put them there.
  const above = (options.parent?.run.middleware ?? []) as readonly AgentMiddleware[];
  const inherited = above.filter((one) => !own.includes(one));
  return [...inherited, ...own, ...(output ? [output] : [])];
}

/** The middleware for the setting `output`. It comes with the validator, which most runs do not need. */
export async function loadOutput({ options: { config } }: AgentRun): Promise<AgentMiddleware | undefined> {
  if (!config.output) return undefined;
  const { output } = await import("../output/output.js");
  return output(config.output);
}

async function beginFork(run: AgentRun): Promise<void> {
  beginMiddleware(run, await loadOutput(run));
}

function checkMiddleware(middleware: readonly AgentMiddleware[]): void {
  const places = new Map<string, number>();
  for (const [index, one] of middleware.entries()) {
    places.set(one.name, index);
    checkFields(one);
  }
  for (const [index, one] of middleware.entries()) checkOrder(one, index, places);
}

const FIELDS = ["order", "inherit", "isRepeatable", "inForks", "begin"];

/** Middleware may have members of its own, such as `queued` of a session. */
function checkFields(middleware: AgentMiddleware): void {
  const { name, near } = findMisspelt(middleware, FIELDS) ?? {};
  if (near) throw new TypeError(`The middleware "${middleware.name}" has the field "${name}": did you mean "${near}"?`);
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

/** A hook that is none would never be called. An object of hooks may have other members of its own. */
function checkHooks(name: string, hooks: object): void {
  if ("then" in hooks)
    throw new TypeError(
      `begin of the middleware "${name}" returned a promise. Wait in a hook instead, such as beforeRequest`,
    );
  for (const [member, value] of Object.entries(hooks)) {
    const isHook = HOOK_NAMES.some((hook) => hook === member);
    if (isHook && value !== undefined && typeof value !== "function")
      throw new TypeError(
        `The hook ${member} of the middleware "${name}" must be a function, not ${describeValue(value)}`,
      );
    if (isHook || typeof value !== "function") continue;
    const near = nearestName(member, HOOK_NAMES);
    if (near) throw new TypeError(`The middleware "${name}" has no hook "${member}": did you mean "${near}"?`);
    if (isSetting(member)) throw new TypeError(`${member} is no hook of middleware. Write new Agent({ ${member} })`);
  }
}

/** Makes the hooks that have effects, or decide, steps of the run under the name of their middleware. */
function withSteps(run: AgentRun, { name, isRepeatable }: AgentMiddleware, hooks: RunHooks): RunHooks {
  const { beforeRequest, afterTurn } = hooks;
  const own: RunHooks = {};
  for (const hook of HOOK_NAMES) Object.assign(own, { [hook]: bindHook(hooks, hook) });
  if (beforeRequest)
    own.beforeRequest = async () => {
      const stop = await run.steps.step(`${name}/beforeRequest`, () => callUntilStop(run, hooks));
      if (stop) throw new RunStopped(stop);
    };
  if (afterTurn) {
    // The messages of a decision say by whom, like those that `add` adds.
    const withOrigin = (message: AgentMessage): AgentMessage =>
      message.role === "user" ? { origin: name, ...message } : message;
    const decide = async (turn: FinishedTurn): Promise<TurnDecision | undefined> => {
      const decision = (await hooks.afterTurn?.(turn)) || undefined;
      return decision?.messages ? { ...decision, messages: decision.messages.map(withOrigin) } : decision;
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
