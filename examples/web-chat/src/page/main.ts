/** Connects the parts of the page: an agent, its transcript and the composer. */
import { Agent, type AgentMessage, type PauseAnswer, streamProxy } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { Composer, type Draft } from "./composer.ts";
import { findProblem, type Problem } from "./problem.ts";
import { Requests } from "./requests.ts";
import { Scroller } from "./scroller.ts";
import { find, readSettings } from "./settings.ts";
import { loadMessages, saveGrowing, saveMessages } from "./store.ts";
import { NEEDS_APPROVAL, TOOLS } from "./tools.ts";
import { Transcript } from "./transcript.ts";

const DAMAGED: Problem = {
  title: "Part of the stored conversation could not be read.",
  text: "It was left out.",
  canRetry: false,
};

const { token, model, note } = readSettings();
const stored = loadMessages();
let isLeaving = false;

const agent = new Agent({
  initialState: {
    model,
    systemPrompt: "You are a helpful assistant in a web page. Respond briefly, in Markdown.",
    thinkingLevel: model.reasoning ? "low" : "off",
    tools: TOOLS,
    messages: stored.messages,
  },
  // A run ends with the question. The conversation in the tab is all that it needs to go on, also after a reload.
  middleware: [approvals({ when: ({ tool }) => NEEDS_APPROVAL.has(tool.name), pause: true })],
  onNewMessage: "decline",
  streamFn: (called, context, options) =>
    streamProxy(called, context, { ...options, authToken: token, proxyUrl: location.origin }),
});
const scroller = new Scroller(find("scroller"), find("latest"));
const transcript = new Transcript(agent, find("transcript"), scroller);
const requests = new Requests(agent, find("requests"), (given) => void answer(given));
const composer = new Composer({
  send,
  stop: () => void stop(),
  refuse: (title) => showProblem({ title, text: "", canRetry: false }),
});

agent.subscribe((event) => {
  if (event.type === "agent_start") show(true);
  if (event.type === "message_end" || event.type === "message_update") showTotals();
  // A page that is closing aborts its requests. The next page must not show these errors.
  if (isLeaving) return;
  if (event.type === "message_update") saveGrowing(event.message);
  if (event.type === "message_end") saveMessages(agent.state.messages);
});
addEventListener("pagehide", () => {
  isLeaving = true;
  if (agent.state.streamingMessage) saveGrowing(agent.state.streamingMessage, true);
});
addEventListener("pageshow", () => {
  isLeaving = false;
});
find("retry").addEventListener("click", () => void run(retry));
find("clear").addEventListener("click", () => void clear());
for (const example of find("examples").querySelectorAll("button")) {
  example.addEventListener("click", () => send({ text: example.textContent ?? "", images: [] }));
}
find("note").textContent = note;
show(false);
if (stored.isDamaged) showProblem(DAMAGED);
showTotals();
composer.focus();

function send({ text, images }: Draft): void {
  const content = [...images, ...(text === "" ? [] : [{ type: "text" as const, text }])];
  const message: AgentMessage = { role: "user", content, timestamp: Date.now() };
  if (!agent.state.isStreaming) {
    void run(() => agent.prompt(message));
    return;
  }
  agent.steer(message);
  transcript.queue(message);
}

async function run(start: () => Promise<void>): Promise<void> {
  showProblem(undefined);
  await start();
  show(false);
  if (!isLeaving) saveMessages(agent.state.messages);
  composer.focus();
}

/** The run goes on when everything is answered. */
async function answer(given: PauseAnswer): Promise<void> {
  try {
    await agent.answer([given]);
  } catch (error) {
    showProblem({ title: "This answer does not count.", text: String(error), canRetry: false });
    return;
  }
  saveMessages(agent.state.messages);
  if (agent.state.pause?.requests.length) requests.update();
  else await run(() => agent.continue());
}

/** Stops the run. Returns queued messages to the composer. */
async function stop(): Promise<void> {
  if (!agent.state.isStreaming) return;
  agent.abort();
  await agent.waitForIdle();
  agent.clearSteeringQueue();
  composer.giveBack(transcript.takeQueued().map(toDraft));
}

function toDraft(message: AgentMessage): Draft {
  const content = message.role === "user" && typeof message.content !== "string" ? message.content : [];
  return {
    text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    images: content.filter((block) => block.type === "image"),
  };
}

/** Removes the failed response, and requests it again. */
async function retry(): Promise<void> {
  const { messages } = agent.state;
  const last = messages.findLastIndex(({ role }) => role !== "assistant");
  agent.state.messages = messages.slice(0, last + 1);
  transcript.schedule();
  await agent.continue();
}

async function clear(): Promise<void> {
  agent.abort();
  await agent.waitForIdle();
  agent.reset();
  transcript.takeQueued();
  transcript.schedule();
  saveMessages([]);
  show(false);
  showTotals();
  composer.focus();
}

function show(isWorking: boolean): void {
  composer.setWorking(isWorking);
  find("transcript").setAttribute("aria-busy", String(isWorking));
  find("empty").hidden = isWorking || agent.state.messages.length > 0;
  showProblem(isWorking ? undefined : findProblem(agent.state.messages, agent.state.pause));
  requests.update();
  scroller.update();
}

function showProblem(problem: Problem | undefined): void {
  find("problem").hidden = !problem;
  if (!problem) return;
  find("problem-title").textContent = problem.title;
  find("problem-text").textContent = problem.text;
  find("retry").hidden = !problem.canRetry;
}

function showTotals(): void {
  let tokens = 0;
  let dollars = 0;
  const { messages, streamingMessage } = agent.state;
  for (const message of streamingMessage ? [...messages, streamingMessage] : messages) {
    if (message.role !== "assistant") continue;
    tokens += message.usage.totalTokens;
    dollars += message.usage.cost.total;
  }
  find("tokens").textContent = tokens.toLocaleString("en");
  find("cost").textContent = `$${dollars.toFixed(4)}`;
}
