/** The run, as one middleware sees it, and the requests that it sends beside the conversation. */
import type { AssistantMessage, Message, SimpleStreamOptions } from "pi-ai";
import { collectSecrets, formatThrownValue, redact } from "pi-ai/call";
import { ignoreIfUnused } from "../../abort-gate.js";
import { isRunStopped } from "../../errors.js";
import {
  type AgentRun,
  buildRequest,
  convertMessages,
  partialOf,
  peekMessages,
  sendRequest,
  transformMessages,
} from "../../loop/index.js";
import { withoutMarks } from "../../pause/index.js";
import { askKey, SIDE_REQUEST_HAS } from "../../settings.js";
import type { AgentEvent } from "../../types/event.js";
import type { ModelRequest, SideRequest } from "../../types/hooks.js";
import type { AgentMessage } from "../../types/message.js";
import type { MiddlewareRun, RunHooks } from "../../types/middleware.js";
import { createFork, type Forkable } from "./forks.js";

/** The other middleware of a run, and the hooks of the application. */
export interface OtherMiddleware {
  /** The names of all middleware. */
  names: readonly string[];
  /** The composed hooks of all others. */
  others: () => Pick<RunHooks, "transformContext" | "wrapModelCall">;
  forkable: Forkable;
}

export function createMiddlewareRun(
  run: AgentRun,
  name: string,
  { names, others, forkable }: OtherMiddleware,
): MiddlewareRun {
  const { gate, options, settings, steps, transcript } = run;
  const { config } = settings;
  const now = settings.clock ?? steadyTime;
  const startedAt = steps.stores ? undefined : now();
  return {
    get model() {
      return config.model;
    },
    get context() {
      return transcript.context;
    },
    get thinkingLevel() {
      return settings.streamOptions.reasoning ?? "off";
    },
    root: run.asParent,
    owner: options.owner,
    parent: options.parent?.run,
    parentCall: options.parent?.call,
    sessionId: config.sessionId,
    signal: gate.signal,
    abort: options.abort,
    onDelta: (listener) => run.events.watchDeltas(listener),
    ...(options.whenIdle && { whenIdle: options.whenIdle }),
    middleware: names,
    get isReplaying() {
      return steps.isReplaying;
    },
    get canAdd() {
      return canAdd(run);
    },
    hasOutput: names.includes("output"),
    now,
    get startedAt() {
      return steps.startedAt ?? startedAt ?? now();
    },
    emit: (event) => emitBeside(run, event),
    add: async (message) => addMessage(run, name, message),
    peek: peekMessages,
    prepare: () => buildRequest(run),
    toLlm: (messages) => convertBeside(run, messages, others()),
    request: (request) => sendBeside(run, request, { origin: name, ...others() }),
    fork: createFork(forkable),
    partialOf,
    step: (step, work) => run.steps.step(`${name}/${step}`, async (id) => work(id)),
    ...(steps.waitFor && { waitFor: async (signal) => steps.waitFor?.(signal, gate.signal) }),
  };
}

/** A hook that may be receiving an event does not wait for the next one: each would wait for the other. */
function emitBeside(run: AgentRun, event: AgentEvent): Promise<void> | undefined {
  const { isBusy } = run.events;
  const delivered = run.emit(event);
  return isBusy ? undefined : delivered;
}

const CANNOT_ADD =
  "A middleware cannot add a message now: a response is open, a request or tools of a durable run are under way, or the run has ended";

function canAdd({ events, openResponse, steps }: AgentRun): boolean {
  return events.takesMessages && !(events.closed || openResponse.partial || steps.isStoring);
}

async function addMessage(run: AgentRun, origin: string, message: AgentMessage): Promise<void> {
  if (!canAdd(run)) throw new Error(CANNOT_ADD);
  // Only a message of the user has an origin: the roles of others say where they come from.
  const added: AgentMessage = message.role === "user" ? { ...message, origin } : message;
  await run.transcript.addFromMiddleware(added);
}

/** See `MiddlewareRun.toLlm`. */
async function convertBeside(
  run: AgentRun,
  messages: readonly AgentMessage[],
  { transformContext }: Pick<RunHooks, "transformContext">,
): Promise<Message[]> {
  run.gate.check();
  const copy = messages.flatMap((message) => withoutMarks(message) ?? []);
  return convertMessages(run, transformContext ? await transformMessages(run, transformContext, copy) : copy);
}

/** The sender of a request, and the hooks around it. */
type Sender = Pick<RunHooks, "wrapModelCall"> & { origin: string };

/** See `MiddlewareRun.request`. */
function sendBeside(run: AgentRun, side: SideRequest, sender: Sender): Promise<AssistantMessage> {
  const sent = send(run, side, sender);
  run.sideUsage.follow(sent);
  return ignoreIfUnused(sent);
}

async function send(
  run: AgentRun,
  { model, context, options, streamFn = run.options.streamFn }: SideRequest,
  { wrapModelCall, origin }: Sender,
): Promise<AssistantMessage> {
  const { gate, settings } = run;
  const { config } = settings;
  gate.check();
  const isSame = model.provider === config.model.provider;
  const ownKey = config.getApiKey && (await gate.wait(askKey(config, model.provider)));
  const apiKey = options?.apiKey ?? (ownKey || (isSame ? config.apiKey : undefined));
  const request: ModelRequest = {
    model,
    context,
    options: {
      ...pickShared(run, isSame),
      ...options,
      ...(apiKey && { apiKey }),
      ...(gate.signal && { signal: gate.signal }),
    },
    origin,
  };
  const sendSide = async (next: ModelRequest): Promise<AssistantMessage> => {
    const silent = { gate, settings, showProgress: () => undefined };
    const response = await sendRequest(silent, next, streamFn);
    run.sideUsage.add(response);
    return response;
  };
  try {
    if (!wrapModelCall) return await sendSide(request);
    const sendNext = (next: ModelRequest): Promise<AssistantMessage> => ignoreIfUnused(sendSide(next));
    return await gate.waitWithGrace(Promise.resolve(wrapModelCall(request, sendNext, gate.signal)));
  } catch (error) {
    if (gate.aborted || isRunStopped(error)) throw error;
    // A stream function may quote the key that it received, and a hook may store the text.
    const secrets = collectSecrets([apiKey], request.options.headers, model.headers);
    throw new Error(redact(formatThrownValue(error), secrets));
  }
}

/** The options of the run that a request beside the conversation has, too. */
function pickShared({ settings: { streamOptions } }: AgentRun, isSame: boolean): SimpleStreamOptions {
  const rules: Readonly<Record<string, boolean>> = SIDE_REQUEST_HAS;
  const isShared = (name: string): boolean => {
    // Options of a single api, and what may hold a key or name a user, stay with their provider.
    if (!Object.hasOwn(rules, name) || name === "headers" || name === "metadata") return isSame;
    return rules[name] ?? false;
  };
  return Object.fromEntries(Object.entries(streamOptions).filter(([name]) => isShared(name)));
}

/**
 * Unix milliseconds by the clock of the process: when the time of the system is set, this one does not follow. Durable runs
 * and others may share a budget, so both measure by it.
 */
function steadyTime(): number {
  return Math.round(performance.timeOrigin + performance.now());
}
