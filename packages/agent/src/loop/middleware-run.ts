/** The run, as one middleware sees it. */
import type { WrapModelCallHook } from "../types/hooks.js";
import type { AgentMessage } from "../types/message.js";
import type { MiddlewareRun } from "../types/middleware.js";
import type { AgentRun } from "./agent-run.js";
import { peekMessages } from "./llm-messages.js";
import { partialOf } from "./response-stream.js";
import { convertBeside, prepareAgain, sendBeside } from "./side-request.js";
import { steadyTime } from "./steady-time.js";

const OPEN_RESPONSE = "A middleware cannot add a message while a response is open";

interface List {
  /** The names of all middleware. */
  names: readonly string[];
  /** The hooks of all other middleware around a request. */
  others: () => WrapModelCallHook | undefined;
}

export function createMiddlewareRun(run: AgentRun, name: string, { names, others }: List): MiddlewareRun {
  const { config, gate } = run;
  return {
    get model() {
      return config.model;
    },
    get messages() {
      return run.context.messages;
    },
    get context() {
      return run.context;
    },
    isSide: false,
    root: run.asParent,
    parent: run.parent?.run,
    parentCall: run.parent?.call,
    sessionId: config.sessionId,
    signal: gate.signal,
    abort: run.abort,
    onDelta: (listener) => run.watchDeltas(listener),
    middleware: names,
    get isReplaying() {
      return config.runSteps?.isReplaying ?? false;
    },
    hasOutput: names.includes("output"),
    now: () => config.runSteps?.now() ?? config.now?.() ?? steadyTime(),
    emit: (event) => run.emit(event),
    add: async (message) => addMessage(run, name, message),
    peek: peekMessages,
    prepare: async () => prepareAgain(run),
    toLlm: (messages) => convertBeside(run, messages),
    request: (request) => sendBeside(run, request, others()),
    partialOf,
    step: (step, work) => config.runSteps?.hook(`${name}/${step}`, work) ?? work(),
  };
}

async function addMessage(run: AgentRun, origin: string, message: AgentMessage): Promise<void> {
  if (run.openResponse) throw new Error(OPEN_RESPONSE);
  // Only a message of the user has an origin: the roles of others say where they come from.
  const added: AgentMessage = message.role === "user" ? { ...message, origin } : message;
  run.add(added);
  await run.emitMessage(added);
}
