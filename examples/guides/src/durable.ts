/** A run that another process continues, after a crash or after an approval was answered. */
import { Agent, defineTool } from "pi-agent";
import { approvals } from "pi-agent/approvals";
import { durable } from "pi-agent/durable";
import { answerApproval, sessionSteps } from "pi-agent/durable/session";
import { Type } from "pi-ai";
import { createScriptedStreamFn, fauxAssistantMessage, fauxToolCall } from "pi-ai/testing";

const file = process.env["RUN_FILE"] ?? "order-17.jsonl";
const answer = process.env["ANSWER"];
// The name that the first process printed. Any process of the machine may answer.
if (answer) await answerApproval(file, answer, { approved: true });

const pay = defineTool({
  name: "pay",
  description: "Pays a sum",
  parameters: Type.Object({ euros: Type.Number() }),
  // A payment is never repeated. If the process dies during one, the result tells the model that it may have happened.
  replay: "never",
  execute: async (_id, { euros }, _signal, _onUpdate, context) => {
    console.log(`Paying ${euros} euros with the key ${context.idempotencyKey}`);
    return "Paid.";
  },
});

// A model that calls the tool. With a key for a provider, remove `streamFn` and set `model`.
const script = [
  fauxAssistantMessage([fauxToolCall("pay", { euros: 90 }, { id: "call_1" })], { stopReason: "toolUse" }),
  fauxAssistantMessage("The hotel is booked."),
];

const engine = await sessionSteps(file, { runId: "order-17" });
const agent = new Agent({
  steps: durable(engine),
  initialState: { tools: [pay] },
  middleware: [approvals({ when: ({ args }) => Number(args["euros"]) > 50 })],
  streamFn: (model, context, options) => {
    console.log("Requesting a response");
    const done = context.messages.filter(({ role }) => role === "assistant");
    return createScriptedStreamFn(script.slice(done.length))(model, context, options);
  },
});
agent.subscribe((event) => {
  if (event.type !== "approval_requested" || answer) return;
  console.log(`Waiting for ${event.request.name}`);
  // The answer may come tomorrow, so the process may end.
  process.exit();
});
await agent.prompt("Book the hotel.");
await engine.close();
console.log(agent.state.messages.map(({ role }) => role).join(" "));
