/** Logs every request: what was sent, what came back, how long it took and what it cost. */
import { Agent } from "pi-agent";
import { getModel } from "pi-ai";

const log = (fields: object): void => console.log(JSON.stringify({ time: new Date().toISOString(), ...fields }));
let started = 0;

const agent = new Agent({
  initialState: { model: getModel("anthropic", "claude-sonnet-5-5") },
  onPayload: (body, model) => {
    started = performance.now();
    // The body holds the conversation, but no key: keys travel in headers.
    log({ event: "request", model: model.id, bytes: JSON.stringify(body).length });
    if (process.env["DEBUG_PAYLOADS"]) console.error(JSON.stringify(body, null, 2));
    return undefined; // send the body as it is; return another one to replace it
  },
  onResponse: ({ status, headers }) => {
    log({ event: "headers", status, requestId: headers["request-id"], ms: Math.round(performance.now() - started) });
  },
});

agent.subscribe((event) => {
  if (event.type !== "message_end" || event.message.role !== "assistant") return;
  const { stopReason, errorMessage, error, usage, diagnostics, responseId } = event.message;
  log({ event: "response", stopReason, errorMessage, kind: error?.kind, responseId, diagnostics });
  log({ event: "usage", tokens: usage.totalTokens, cached: usage.cacheRead, usd: usage.cost.total });
});

await agent.prompt("Name three rivers in Norway.");
