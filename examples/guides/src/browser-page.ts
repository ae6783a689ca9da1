/** A page with an agent: it runs in the page, and its requests go through a relay, which holds the keys. */
import { Agent, defineTool, streamProxy } from "pi-agent";
import { type Model, Type } from "pi-ai";

/** The relay of docs/proxy.md, on the server of the page. */
const proxyUrl = location.origin;

const readTitle = defineTool({
  name: "read_title",
  description: "The title of the page that the user looks at",
  parameters: Type.Object({}),
  execute: async () => document.title,
});

const model: Model = await (await fetch(`${proxyUrl}/model`)).json(); // from getModel, on the server
const agent = new Agent({
  initialState: { model, tools: [readTitle] },
  maxTurns: 20,
  streamFn: (called, context, options) =>
    streamProxy(called, context, { ...options, proxyUrl, authToken: "the user's session token" }),
});

const output = document.body.appendChild(document.createElement("pre"));
const form = document.body.appendChild(document.createElement("form"));
const input = form.appendChild(document.createElement("input"));
agent.subscribe((event) => {
  if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta")
    output.append(event.assistantMessageEvent.delta);
  if (event.type === "agent_end") output.append(agent.state.errorMessage ? "\n(no response)\n" : "\n");
});
form.addEventListener("submit", (submitted) => {
  submitted.preventDefault();
  const text = input.value;
  input.value = "";
  output.append(`> ${text}\n`);
  // Messages that are written during a run join its next turn.
  if (agent.state.isStreaming) agent.steer(text);
  else void agent.prompt(text);
});
