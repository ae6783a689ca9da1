/** What a run needs an answer to, in a terminal: the question as a text, and the answer that a typed line means. */
import { createInterface } from "node:readline";
import type { Agent, PauseAnswer, PauseRequest } from "pi-agent";
import { harmless } from "./screen.ts";

const MOST_SHOWN = 2000;

/** The request that comes next. */
export function openRequest({ state }: Agent): PauseRequest | undefined {
  return state.pause?.requests[0];
}

/** The whole arguments, because the person is answerable for them. */
export function describeRequest({ toolName, arguments: args, message }: PauseRequest): string {
  if (message !== undefined) return `${harmless(message)} (an empty line declines)`;
  const lines = Object.entries(args).map(([name, value]) => {
    const text = harmless(typeof value === "string" ? value : JSON.stringify(value));
    const left = text.length - MOST_SHOWN;
    return `  ${harmless(name)}: ${left > 0 ? `${text.slice(0, MOST_SHOWN)}… (${left} more characters)` : text}`;
  });
  return `May ${toolName} run?\n${lines.join("\n")}\ny: yes. Enter: no. Any other text: no, and the model reads it as the reason.`;
}

export function toAnswer({ id, kind }: PauseRequest, line: string): PauseAnswer {
  const text = line.trim();
  if (kind === "question") return text === "" ? { id, approved: false } : { id, approved: true, value: text };
  if (/^y(es)?$/i.test(text)) return { id, approved: true };
  return { id, approved: false, ...(text !== "" && !/^no?$/i.test(text) && { reason: text }) };
}

export interface Person {
  /** Shows a text. */
  show: (text: string) => void;
  /** Reads a line. Undefined if nobody is there: everything is declined. */
  readLine: (() => Promise<string>) | undefined;
}

/** Asks until the run ends without a question. */
export async function answerAll(agent: Agent, { show, readLine }: Person): Promise<void> {
  for (let request = openRequest(agent); request; request = openRequest(agent)) {
    show(describeRequest(request));
    if (readLine) await agent.answer([toAnswer(request, await readLine())]);
    else {
      show("(Nobody is at the terminal, so the answer is no.)");
      agent.declineAll("Nobody is at the terminal to approve it");
    }
    if (!openRequest(agent)) await agent.continue();
  }
}

/** Reads one line from a terminal. Its end, and Ctrl-C, count as an empty line. */
export function readOneLine(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Promise<string> {
  const terminal = createInterface({ input, output, terminal: true });
  return new Promise<string>((resolve) => {
    terminal.once("SIGINT", () => terminal.close());
    terminal.once("close", () => resolve(""));
    terminal.question("> ", resolve);
  }).finally(() => terminal.close());
}
