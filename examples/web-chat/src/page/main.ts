/** The page: an agent, what is shown of it, and what is typed. */
import { Agent, type AgentMessage, streamProxy } from "pi-agent";
import { Composer, type Draft } from "./composer.ts";
import { findProblem, type Problem } from "./problem.ts";
import { find, readSettings } from "./settings.ts";
import { loadMessages, saveMessages } from "./store.ts";
import { TOOLS } from "./tools.ts";
import { Transcript } from "./transcript.ts";

const { token, model, note } = readSettings();

const agent = new Agent({
  initialState: {
    model,
    systemPrompt: "You are a helpful assistant in a web page. Answer briefly.",
    thinkingLevel: model.reasoning ? "low" : "off",
    tools: TOOLS,
    messages: loadMessages(),
  },
  streamFn: (called, context, options) =>
    streamProxy(called, context, { ...options, authToken: token, proxyUrl: location.origin }),
});
const transcript = new Transcript(agent, find("transcript"));
const composer = new Composer({
  send,
  stop: () => agent.abort(),
  refuse: (title) => showProblem({ title, text: "", canRetry: false }),
});

agent.subscribe((event) => {
  if (event.type === "agent_start") show(true);
  if (event.type === "message_end" || event.type === "message_update") showTotals();
  if (event.type === "message_end") saveMessages(agent.state.messages);
});
find("retry").addEventListener("click", () => void run(retry));
find("clear").addEventListener("click", () => void clear());
find("note").textContent = note;
show(false);
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

/** What was queued when a run was stopped belongs to the next one. */
async function run(start: () => Promise<void>): Promise<void> {
  showProblem(undefined);
  await start();
  show(false);
  saveMessages(agent.state.messages);
  composer.focus();
}

/** The answer that failed is forgotten, and asked for again. */
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
  transcript.clearQueued();
  transcript.schedule();
  saveMessages([]);
  show(false);
  showTotals();
  composer.focus();
}

function show(isWorking: boolean): void {
  composer.setWorking(isWorking);
  find("transcript").setAttribute("aria-busy", String(isWorking));
  showProblem(isWorking ? undefined : findProblem(agent.state.messages));
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
