/** The hooks of approvals that end the run instead of waiting. */
import { processState } from "pi-ai/call";
import type { MiddlewareRun, RunHooks, ToolVerdict } from "../types/middleware.js";
import type { PauseAnswer, PausedCall, PauseRequest } from "../types/pause.js";
import type { StepToolCall } from "../types/tool.js";
import { createKeys } from "./call-keys.js";
import { toCanonicalJson } from "./canonical-json.js";
import { digestEarlierAnswers, shareDigest } from "./digests.js";
import { useOf } from "./paused-response.js";
import { isApproved } from "./resume.js";
import { createSigner, type PauseSecret, type RequestSigner } from "./signature.js";

/** Options of approvals that end the run. */
export interface PauseApprovals {
  /**
   * Signs every request of the agent, also the questions of its tools, with the `sessionId` of the agent: a page that holds the
   * conversation then cannot forge a request, change it or the call, or answer one of another conversation. At least 32
   * bytes. Default: requests are not signed, so the conversation must come from where only the application writes.
   */
  secret?: PauseSecret | undefined;
  /** How long an approval can be given, in milliseconds. Default: without end. */
  timeoutMs?: number | undefined;
  /** The answer that counts after that. Default: the call is declined. */
  default?: Omit<PauseAnswer, "id"> | undefined;
  /**
   * Called with `secret` before a call runs that has paused, with the part that the signatures of its last requests share. Returns false
   * if it was used before: the page has sent a conversation from before the call once more. Default: the process remembers the newest
   * 10,000. With several processes, use a store they share.
   */
  claim?: ((signature: string) => boolean | Promise<boolean>) | undefined;
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
              const blocked = signer && (await checkMarks(call, { signer, claim, now: run.now() }));
              if (blocked) return { block: true, reason: blocked };
              if (call.paused && isApproved(call.paused)) return undefined;
              if (!(await isNeeded(call))) return undefined;
              return { pause: createRequest(call, keyOf(call.toolCall.id), { options, now: run.now() }) };
            }),
          );
        })
        .then((verdicts) => verdicts.map((verdict) => verdict ?? undefined)),
    ...(signer && {
      beforePause: (requests, toolCall, { tool, key, resume, paused }) =>
        run.step("sign", async () => {
          const digests = await digestEarlierAnswers([...(paused?.marks ?? []), { requests }], paused?.answers);
          return signer.sign(requests, { ...toolCall, key, resume, earlier: digests.at(-1) ?? "" }, tool);
        }),
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

interface Check {
  signer: RequestSigner;
  claim: NonNullable<PauseApprovals["claim"]>;
  now: number;
}

/**
 * Returns why a call that has paused must not run. A page may have made, changed or left out each of its marks, so none is
 * believed without a request of this agent for this very call.
 */
async function checkMarks({ toolCall, tool, paused }: StepToolCall, check: Check): Promise<string | undefined> {
  if (!paused) return undefined;
  const { name, serverTool } = toolCall;
  if (!(await isGenuine(paused, serverTool ? undefined : tool, check)))
    return `The call of ${name} was not run: its approval was forged or changed`;
  const last = paused.marks.at(-1)?.requests ?? [];
  if (last.some((request) => isLate(request, paused, check.now)))
    return `The call of ${name} was not run: its approval came too late`;
  // The words of the page about an earlier attempt count for nothing, either.
  if (await check.claim(useOf(last[0]))) return undefined;
  return `The call of ${name} was not run again: its approval was used before, and its result is not here`;
}

async function isGenuine(
  { call, key, marks, answers }: PausedCall,
  tool: StepToolCall["tool"] | undefined,
  { signer }: Check,
): Promise<boolean> {
  const digests = await digestEarlierAnswers(marks, answers);
  for (const [index, { requests, resume }] of marks.entries()) {
    if (requests.length === 0) return false;
    const signed = shareDigest({ ...call, key, resume, earlier: digests[index] ?? "" });
    for (const request of requests) if (!(await signer.isGenuine(request, signed, tool))) return false;
  }
  return true;
}

/** The page may have dated its answer back. The answer that counts after the time does not come from the page. */
function isLate({ id, expiresAt, default: fallback }: PauseRequest, { answers }: PausedCall, now: number): boolean {
  const answer = answers.get(id);
  if (expiresAt === undefined || now < expiresAt || answer?.approved !== true) return false;
  return toCanonicalJson(answer) !== toCanonicalJson({ ...fallback, id });
}

/** Shared by the copies of this module that `import` and `require` load. */
const used = /* @__PURE__ */ processState("used approvals", () => new Set<string>());
const MOST_USED = 10_000;

/** Remembers the signatures that this process has seen. */
function claimHere(signature: string): boolean {
  if (used.has(signature)) return false;
  used.add(signature);
  const [oldest] = used;
  if (used.size > MOST_USED && oldest !== undefined) used.delete(oldest);
  return true;
}
