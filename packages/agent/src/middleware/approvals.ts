/**
 * Approvals of tool calls, and the answers to what a conversation waits for.
 *
 * @module pi-agent/approvals
 */
import {
  type Checks,
  checkOptions,
  describeValue,
  mayBeAnything,
  mustBeDuration,
  mustBeFlag,
  mustBeFunction,
  mustBeObject,
  waitsForEngine,
} from "../checks.js";
import { type PauseApprovals, pauseForApprovals, readSecret, verifyRequests } from "../pause/index.js";
import type { ApprovalAnswer, ApprovalRequest } from "../types/event.js";
import type { AgentMiddleware, MiddlewareRun, ToolVerdict } from "../types/middleware.js";
import type { StepToolCall } from "../types/tool.js";

export {
  type AnswerOptions,
  answerRequests,
  declineRequests,
  type PauseSecret,
  pendingRequests,
  type VerifyRequest,
  verifyRequests,
} from "../pause/index.js";
export type { SignedCall } from "../types/pause.js";

/** Options of {@link approvals}. */
export interface ApprovalsOptions extends PauseApprovals {
  /** Decides whether a call needs an approval. An error counts as yes. Default: every call does. */
  when?: ((call: StepToolCall) => boolean | Promise<boolean>) | undefined;
  /**
   * Asks for an approval, and resolves with the answer. Not called in a durable run whose engine can wait: any process
   * answers there. If it rejects, the call gets an error result. Default: none, so the run must be durable.
   *
   * @param signal aborted when the run is
   */
  ask?: ((request: ApprovalRequest, signal: AbortSignal | undefined) => Promise<ApprovalAnswer>) | undefined;
  /**
   * Ends the run instead of waiting: `agent_end` and `state.pause` have the requests, and `agent.answer()` and
   * `agent.continue()` go on, in any process that has the messages. Default false.
   */
  pause?: boolean | undefined;
}

// A record, so that a new option fails to compile here.
const OPTIONS: Checks<keyof ApprovalsOptions> = {
  when: mustBeFunction,
  ask: mustBeFunction,
  pause: mustBeFlag,
  secret: mayBeAnything,
  timeoutMs: mustBeDuration,
  default: mustBeObject,
  claim: mustBeFunction,
};

/**
 * Asks for an approval before tools run. All calls of a response are prepared first. Then the run emits
 * `approval_requested` for each that needs an approval, and waits; `state.pendingApprovals` lists them. No tool of the
 * response runs before all are answered; the calls of a sequential batch are asked for one by one. Anything but
 * `{ approved: true }` declines: the tool does not run, and the model reads the `reason`.
 *
 * With `pause`, the run ends instead of waiting, and the transcript holds what is open: the other calls of the response have
 * run. It also works in a durable run, whose next run is that of `continue()`.
 *
 * Otherwise, in a durable run whose engine can wait, the request outlives the process, and any process answers it. Other runs call
 * `ask`; if they are durable, its answer is a step.
 *
 * @example
 * const agent = new Agent({
 *   initialState: { model, tools },
 *   middleware: [approvals({ when: ({ tool }) => tool.name === "pay", ask: askInTerminal })],
 * });
 *
 * @example
 * const agent = new Agent({ initialState: { model, tools, messages }, middleware: [approvals({ pause: true })] });
 * await agent.prompt("Pay the invoice.");
 * // Later, perhaps in another process that has loaded the messages:
 * await agent.answer([{ id: agent.state.pause.requests[0].id, approved: true }]);
 * await agent.continue();
 *
 * @throws TypeError that names an unknown or wrong option. A run without `ask` that cannot wait ends with an error message
 */
export function approvals(options: ApprovalsOptions = {}): AgentMiddleware {
  checkOptions(options, OPTIONS);
  const { pause, secret, ask } = options;
  if (pause && ask)
    throw new TypeError("approvals has `ask` or `pause`: with `pause`, the run ends and nobody is asked");
  for (const option of ["timeoutMs", "default", "claim"] as const)
    if (options[option] !== undefined && !pause)
      throw new TypeError(`approvals has \`${option}\` only with \`pause: true\`: otherwise \`ask\` ends the wait`);
  if (secret !== undefined) readSecret(secret);
  const middleware: AgentMiddleware = {
    name: "approvals",
    isRepeatable: true,
    // The page asks its user before it runs a tool.
    inForks: false,
    ...(secret !== undefined && {
      checkRequest: (request, call, conversation) => verifyRequests(secret, conversation)(request, call),
    }),
    begin: (run) => {
      if (pause) return pauseForApprovals(run, options, (call) => isNeeded(call, options.when));
      const wait = createWait(run, options);
      return { beforeTools: (calls) => askForAll(run, calls, { ...options, wait }) };
    },
  };
  if (!pause && !ask) waitsForEngine.set(middleware, NO_WAY);
  return middleware;
}

const NO_WAY = "approvals needs `ask`, `pause: true`, or a durable run whose engine has waitFor";

/** Resolves with an answer, in any form: a client sent it. */
type Wait = (request: ApprovalRequest) => Promise<unknown>;

function createWait(run: MiddlewareRun, { ask }: ApprovalsOptions): Wait {
  const { waitFor } = run;
  if (waitFor) return ({ name }) => waitFor(name);
  if (!ask) throw new TypeError(NO_WAY);
  return (request) =>
    run.step(`ask ${request.name}`, async () => {
      const answer: unknown = await ask(request, run.signal);
      // The application's own function: a misspelt field would decline without a word.
      if (typeof Object(answer).approved !== "boolean" && !run.signal?.aborted)
        throw new TypeError(
          `ask of approvals must return { approved: true } or { approved: false, reason }, not ${describeValue(answer)}`,
        );
      return answer;
    });
}

async function askForAll(
  run: MiddlewareRun,
  calls: readonly StepToolCall[],
  { when, wait }: Pick<ApprovalsOptions, "when"> & { wait: Wait },
): Promise<ToolVerdict[]> {
  const asked = await run.step("needed", async (id) => {
    const needed = await Promise.all(calls.map((call) => isNeeded(call, when)));
    // Not by the id of the call: a model chooses that, and engines restrict the characters of a name. An engine finds its wait
    // by the same name in each process; any other name is random, because whoever knows it may answer.
    const nameOf = (index: number): string => (run.waitFor ? `${id}.${index + 1}` : crypto.randomUUID());
    return calls.map(({ toolCall }, index) =>
      needed[index] ? { name: `approval:${nameOf(index)}`, toolCallId: toolCall.id } : null,
    );
  });
  const requests = calls.map(({ toolCall, args }, index): ApprovalRequest | undefined => {
    const request = asked[index];
    return request ? { name: request.name, toolCallId: toolCall.id, toolName: toolCall.name, args } : undefined;
  });
  for (const request of requests) if (request) await run.emit({ type: "approval_requested", request });
  // In their order, whichever answer arrives first: an engine may identify a wait by its position only.
  const verdicts: ToolVerdict[] = [];
  for (const request of requests) verdicts.push(request && (await decide(run, request, wait)));
  return verdicts;
}

async function decide(run: MiddlewareRun, request: ApprovalRequest, wait: Wait): Promise<ToolVerdict> {
  let answer: ApprovalAnswer = { approved: false };
  try {
    answer = readAnswer(await untilAborted(wait(request), run.signal));
  } finally {
    const { approved, reason } = answer;
    await run.emit({ type: "approval_resolved", request, approved, ...(!approved && reason && { reason }) });
  }
  if (answer.approved) return undefined;
  const reason = answer.reason ? `: ${answer.reason}` : "";
  return { block: true, reason: `The call of ${request.toolName} was declined${reason}` };
}

/** Undefined after an abort, because the call ends anyway. */
async function untilAborted(answer: Promise<unknown>, signal: AbortSignal | undefined): Promise<unknown> {
  if (!signal) return answer;
  const aborted = Promise.withResolvers<undefined>();
  const leave = (): void => aborted.resolve(undefined);
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  try {
    return await Promise.race([answer, aborted.promise]);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

/** Every field is checked. */
function readAnswer(answer: unknown): ApprovalAnswer {
  if (typeof answer !== "object" || answer === null) return { approved: false };
  const { approved, reason }: { approved?: unknown; reason?: unknown } = answer;
  return { approved: approved === true, ...(typeof reason === "string" && reason !== "" && { reason }) };
}

/** If the hook throws, the call needs an approval: an error must not let it run unapproved. */
async function isNeeded(call: StepToolCall, when: ApprovalsOptions["when"]): Promise<boolean> {
  try {
    return Boolean(when ? await when(call) : true);
  } catch {
    return true;
  }
}
