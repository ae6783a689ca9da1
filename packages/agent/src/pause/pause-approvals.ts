/** The hooks of approvals that end the run instead of waiting. */
import type { AgentToolCall } from "../types/message.js";
import type { MiddlewareRun, RunHooks, ToolVerdict } from "../types/middleware.js";
import type { PauseAnswer, PauseRequest } from "../types/pause.js";
import type { StepToolCall } from "../types/tool.js";
import type { SignedCall } from "./answers.js";
import { blocksOf, createKeys, findLastResponse } from "./call-marks.js";
import { isApproved } from "./resume.js";
import { createSigner, type PauseSecret, type RequestSigner } from "./signature.js";

/** Options of approvals that end the run. */
export interface PauseApprovals {
  /**
   * Signs every request of the agent, also the questions of its tools, with the `sessionId` of the agent: a page that holds the
   * conversation then cannot forge a request, change it or the call, or answer one of another conversation. At least 32
   * bytes. Default: requests are not signed, so the conversation must come from where only the application writes.
   */
  secret?: PauseSecret;
  /** How long an approval can be given, in milliseconds. Default: without end. */
  timeoutMs?: number;
  /** What counts as the answer after that. Default: the call is declined. */
  default?: Omit<PauseAnswer, "id">;
  /**
   * Called with `secret` before a call runs, with the signature of its last request. Returns false if the signature was used
   * before: the page has sent a conversation from before the call once more. Default: the process remembers the newest
   * 10,000. With several processes, use a store they share.
   */
  claim?: (signature: string) => boolean | Promise<boolean>;
}

/** @param isNeeded decides whether a call needs an approval; must not throw */
export function pauseForApprovals(
  run: MiddlewareRun,
  options: PauseApprovals,
  isNeeded: (call: StepToolCall) => Promise<boolean>,
): RunHooks {
  const { secret, claim = claimHere } = options;
  if (secret !== undefined && !run.sessionId)
    throw new TypeError("approvals with a `secret` needs the sessionId of the agent, which its signatures name");
  const signer = secret === undefined ? undefined : createSigner(secret, run.sessionId);
  return {
    beforeTools: (calls) =>
      run
        .step("needed", () => {
          const keyOf = createKeys(run.context.messages);
          return Promise.all(
            calls.map(async (call): Promise<ToolVerdict> => {
              const blocked = signer && (await checkSignatures(call, callOf(run, call.toolCall), { signer, claim }));
              if (blocked) return { block: true, reason: blocked };
              if (call.paused && isApproved(call.paused)) return undefined;
              if (!(await isNeeded(call))) return undefined;
              return { pause: createRequest(call, keyOf(call.toolCall.id), { options, now: run.now() }) };
            }),
          );
        })
        .then((verdicts) => verdicts.map((verdict) => verdict ?? undefined)),
    ...(signer && {
      beforePause: (requests, call) =>
        run.step("sign", () => Promise.all(requests.map((request) => signer.sign(request, callOf(run, call))))),
    }),
  };
}

function createRequest(
  { toolCall, args, shown = args, paused }: StepToolCall,
  key: string,
  { options: { timeoutMs, default: fallback }, now }: { options: PauseApprovals; now: number },
): PauseRequest {
  const { id: toolCallId, name: toolName } = toolCall;
  return {
    id: paused?.key ?? key,
    kind: "approval",
    toolCallId,
    toolName,
    arguments: shown,
    ...(timeoutMs && Number.isFinite(timeoutMs) && { expiresAt: now + timeoutMs }),
    ...(fallback && { default: fallback }),
  };
}

/** The call as the model sent it: the user may have changed its arguments. */
function callOf({ context: { messages } }: MiddlewareRun, call: AgentToolCall): SignedCall {
  const response = findLastResponse(messages);
  return (response && blocksOf(response).find(({ id }) => id === call.id)) ?? call;
}

/** Returns why a call that has paused must not run, if a page has changed what it sent. */
async function checkSignatures(
  { toolCall, paused }: StepToolCall,
  call: SignedCall,
  { signer, claim }: { signer: RequestSigner; claim: NonNullable<PauseApprovals["claim"]> },
): Promise<string | undefined> {
  const last = paused?.requests.at(-1);
  if (!(paused && last)) return undefined;
  for (const request of paused.requests)
    if (!(await signer.isGenuine(request, call)))
      return `The call of ${toolCall.name} was not run: its approval was forged or changed`;
  if (paused.hasBegun || (await claim(last.signature ?? ""))) return undefined;
  return `The call of ${toolCall.name} was not run again: its approval was used before, and its result is not here`;
}

const used = new Set<string>();
const MOST_USED = 10_000;

/** Remembers the signatures that this process has seen. */
function claimHere(signature: string): boolean {
  if (used.has(signature)) return false;
  used.add(signature);
  const [oldest] = used;
  if (used.size > MOST_USED && oldest !== undefined) used.delete(oldest);
  return true;
}
