/** What a page of the AI SDK, a client of AG-UI and a product that embeds the agent show of a run is what the run has finished. */
import type { Agent, AgentEvent, AgentMessage, PauseAnswer, PauseRequest } from "pi-agent";
import { readAgUiAnswers, toAgUiStream } from "pi-agent/ag-ui";
import { subscribeEmbedded } from "pi-agent/embed";
import { readUIApprovals, toUIMessageStream } from "pi-agent/ui-stream";
import type { Random } from "../../../../test/support/random.js";
import { AgUiReader, UIReader } from "../serve/page-readers.js";
import { nameOf } from "./chat-facts.js";

/** What a user answers, as the route of a page reads it. */
export function throughPage(random: Random, answers: readonly PauseAnswer[]): PauseAnswer[] {
  const page = random.pick(["own", "useChat", "AG-UI"] as const);
  if (page === "AG-UI")
    return readAgUiAnswers(
      answers.map(({ id: interruptId, ...payload }) => ({ interruptId, status: "resolved", payload })),
    );
  // A question has a route of its own there.
  if (page === "own" || answers.some(({ value }) => value !== undefined)) return [...answers];
  const parts = answers.map((approval) => ({ type: "dynamic-tool", state: "approval-responded", approval }));
  return readUIApprovals([{ role: "assistant", parts }]);
}

/** What a page shows of the runs since it began to look. */
interface Shown {
  /** The names of the texts, in their order. */
  texts: string[];
  /** The calls that have a result. */
  results: string[];
  /** The ids of the requests to the user; undefined if the format has none. */
  asked: string[] | undefined;
}

/** Resolves with nothing if no page looks. */
type Format = (agent: Agent, run: () => Promise<unknown>, leave: () => boolean) => Promise<Shown | undefined>;

/** Runs an agent for a page, which may leave before the end. */
export class PageViews {
  readonly #random: Random;
  readonly #abort: () => void;
  readonly #format: Format;

  /** @param abort called when a page leaves, which aborts the run */
  constructor(random: Random, abort: () => void) {
    this.#random = random;
    this.#abort = abort;
    this.#format = random.pick(FORMATS);
  }

  /** Returns what is wrong, when the run is over. */
  async run(agent: Agent, run: () => Promise<unknown>): Promise<string[]> {
    const finished: AgentMessage[] = [];
    let pause: readonly PauseRequest[] = [];
    let hasLeft = false;
    const unsubscribe = agent.subscribe((event: AgentEvent) => {
      if (event.type === "message_end") finished.push(event.message);
      if (event.type === "agent_end") pause = event.pause?.requests ?? [];
    });
    let over: Promise<unknown> | undefined;
    const begin = (): Promise<unknown> => {
      over = run();
      return over;
    };
    const leave = (): boolean => {
      if (!this.#random.chance(0.01)) return false;
      hasLeft = true;
      this.#abort();
      return true;
    };
    const shown = await this.#format(agent, begin, leave).catch(
      (error: unknown) => `a page throws ${Object(error).stack}`,
    );
    await over?.catch(() => {});
    await agent.waitForIdle();
    unsubscribe();
    if (typeof shown === "string") return [shown];
    return hasLeft || !shown ? [] : compare(shown, finished, pause);
  }
}

/** A page may also show what has failed. */
function compare(shown: Shown, finished: readonly AgentMessage[], pause: readonly PauseRequest[]): string[] {
  const faults: string[] = [];
  const check = (what: string, given: readonly string[], expected: readonly string[]): void => {
    if (given.join(" ") !== expected.join(" "))
      faults.push(`a page shows the ${what} ${given.join(" ")}, not ${expected.join(" ")}`);
  };
  const texts = finished.flatMap((message) => (message.role === "assistant" ? (nameOf(message) ?? []) : []));
  const results = finished.flatMap((message) =>
    message.role === "toolResult" && !("pause" in message) ? [message.toolCallId] : [],
  );
  check(
    "texts",
    shown.texts.filter((name) => texts.includes(name)),
    texts,
  );
  check("results", shown.results.toSorted(), results.toSorted());
  const open = pause.map(({ id }) => id);
  // What was answered or is asked no more may stay on the page.
  const asked = shown.asked && new Set(shown.asked.filter((id) => open.includes(id)));
  if (asked) check("requests", [...asked].toSorted(), open.toSorted());
  return faults;
}

const nameIn = (text: unknown): string[] => /^a\d+/.exec(String(text))?.slice(0, 1) ?? [];

const FORMATS: readonly Format[] = [
  async (_agent, run) => void (await run().catch(() => {})),
  showUI,
  showAgUi,
  showReplies,
];

/** A page that goes on with the message that it shows, as `useChat` does. */
async function showUI(agent: Agent, run: () => Promise<unknown>, leave: () => boolean): Promise<Shown> {
  const page = new UIReader();
  for (const toolCallId of openCallsOf(agent.state.messages)) page.parts.push({ type: "dynamic-tool", toolCallId });
  const results: string[] = [];
  const asked = agent.state.pause?.requests.map(({ id }) => id) ?? [];
  for await (const chunk of toUIMessageStream(agent, { run })) {
    page.read(chunk);
    const isResult = chunk.type === "tool-output-available" ? !chunk.preliminary : /^tool-output-/.test(chunk.type);
    if (isResult && "toolCallId" in chunk) results.push(chunk.toolCallId);
    if (chunk.type === "tool-approval-request" && !chunk.isAutomatic) asked.push(chunk.approvalId);
    if (chunk.type === "data-request") asked.push(String(chunk.id));
    if (leave()) break;
  }
  return { texts: page.parts.flatMap(({ text }) => nameIn(text)), results, asked };
}

/** The calls of the last response that has not failed: the run may go on with them. */
function openCallsOf(messages: readonly AgentMessage[]): string[] {
  const last = messages.findLast(
    (message) => message.role === "assistant" && !["error", "aborted"].includes(message.stopReason),
  );
  return last?.role === "assistant"
    ? last.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []))
    : [];
}

async function showAgUi(agent: Agent, run: () => Promise<unknown>, leave: () => boolean): Promise<Shown> {
  const page = new AgUiReader();
  const asked: string[] = [];
  for await (const event of toAgUiStream(agent, { threadId: "t", runId: "r", run })) {
    page.read(event);
    if (event.type === "RUN_FINISHED" && event.outcome.type === "interrupt")
      asked.push(...event.outcome.interrupts.map(({ id }) => id));
    if (leave()) break;
  }
  return {
    texts: page.messages.flatMap(({ content }) => nameIn(content)),
    results: page.messages.flatMap(({ toolCallId }) => toolCallId ?? []),
    asked,
  };
}

async function showReplies(agent: Agent, run: () => Promise<unknown>): Promise<Shown> {
  const texts: string[] = [];
  const results: string[] = [];
  const subscription = subscribeEmbedded(agent, {
    onBlockReply: ({ text }) => void texts.push(...nameIn(text)),
    onToolEnd: ({ toolCallId }) => void results.push(toolCallId),
  });
  try {
    await run().catch(() => {});
    await agent.waitForIdle();
    await subscription.whenDelivered();
  } finally {
    subscription.unsubscribe();
  }
  return { texts, results, asked: undefined };
}
