/** What the folder of the loop consists of: lines that serve the plain cycle, levels that run a tool, public fields of a run. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const LOOP = resolve(import.meta.dirname, "../../../packages/agent/src/loop");
const read = (file: string): string => readFileSync(join(LOOP, file), "utf8");

/**
 * Declarations that serve something beside the plain cycle, which is: deliver messages, build a request, read its response,
 * run its tools, add their results, ask what follows.
 */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  // Limits, pauses, and hooks that send a request again.
  "run-loop.ts": ["resumeTurn", "applyLimits"],
  "send-through-hooks.ts": [
    "sendThroughHooks",
    "CANNOT_SEND",
    "HOOK_ENDED",
    "NO_MESSAGE",
    "sendWrapped",
    "countDropped",
    "isSame",
  ],
  "response.ts": [
    "keepStop",
    // A response that was aborted or failed.
    "createClosingMessage",
    "closeContent",
    "closeServerTool",
    "cloneArguments",
    "toErrorInfo",
  ],
  // Streams that break their contract, and what requests beside the conversation ask.
  "stream-reader.ts": ["partials", "partialOf", "#waitForResult", "toFinalMessage"],
  "llm-context.ts": ["peekMessages"],
  // People, hooks that decide about all calls at once, and server tools.
  "tool-batch.ts": [
    "deferCalls",
    "closeToolCalls",
    "failTogether",
    "askBeforeTools",
    "refusalsOf",
    "createRefusedOutcome",
  ],
  "find-tool.ts": ["findServerTool"],
  "prepare-call.ts": ["askBeforeHook"],
  "tool-arguments.ts": ["parseAgain", "createAnswerParser", "shownArgumentsOf"],
  "execute-tool.ts": ["askAfterHook", "callWrapped", "limitTime"],
  "tool-outcome.ts": ["describeMissingHandler", "createBlockedOutcome", "isBlocked", "blockReason", "applyAfterHook"],
  // Middleware, pauses, durable runs, keys in texts.
  "agent-run.ts": ["useMiddleware", "addMark", "update", "describeError", "secrets"],
  "transcript.ts": ["addFromMiddleware", "#addWithoutWaiting", "rewind", "replace"],
  "run-settings.ts": ["useCallHooks", "update", "useKey", "forgetKeys", "secrets"],
  "run-ending.ts": ["RunEnding"],
  "step-run.ts": ["toStepRun"],
  "run-events.ts": ["#observe", "observeWith", "watchDeltas", "isDelta"],
  "direct-steps.ts": ["directSteps"],
  "open-response.ts": ["isStreaming"],
  // What a run that fails still has to end.
  "open-tool-calls.ts": ["OpenToolCall", "OpenToolCalls"],
};

/** The lines of a declaration, with its comment. */
function linesOf(text: string, name: string): number {
  const lines = text.split("\n");
  const escaped = name.replace("#", "\\#");
  const opening = new RegExp(
    `^(?:(?:export )?(?:async )?(?:function|class|const|interface|type) ${escaped}\\b|  (?:async )?${escaped}(?:<\\w+>)?\\()`,
  );
  const first = lines.findIndex((line) => opening.test(line));
  if (first < 0) throw new Error(`The loop has no declaration ${name} any more: mend the table in loop-shares.ts`);
  const indent = /^ */.exec(lines[first] ?? "")?.[0] ?? "";
  const isWhole = /[;}]$/.test(lines[first] ?? "");
  const last = isWhole
    ? first
    : lines.findIndex(
        (line, index) =>
          index > first && /^[}\])]/.test(line.slice(indent.length)) && line.startsWith(indent) && !/[{(]$/.test(line),
      );
  let begin = first;
  while (/^ *(?:\/\*\*|\*|\/\/)/.test(lines[begin - 1] ?? "")) begin--;
  return last - begin + 1;
}

/** The share of lines that serve the plain cycle, between 0 and 1. */
export function plainShare(files: readonly string[]): number {
  let all = 0;
  let beside = 0;
  for (const file of files) {
    const text = read(file);
    all += text.split("\n").length - 1;
    for (const name of BESIDE[file] ?? []) beside += linesOf(text, name);
  }
  return 1 - beside / all;
}

/** From the calls of a response to the tool: each calls the next one. A test runs a tool and compares. */
export const TOOL_LEVELS: readonly string[] = [
  "executeToolCalls",
  "executeGroup",
  "runTools",
  "runTool",
  "executeTool",
  "callTool",
  "execute",
];

/** The public fields of a run, accessors included. */
export function publicFields(): string[] {
  const [, body = ""] = /export class AgentRun[^{]*\{\n(.*?)\n\}\n/s.exec(read("agent-run.ts")) ?? [];
  return [...body.matchAll(/^ {2}(?:(?:readonly )?(\w+)(?=: |;)|get (\w+)\()/gm)].map(
    ([, name, accessor]) => name ?? accessor ?? "",
  );
}
