/** Traces an agent with OpenTelemetry's conventions, and prints the spans without the OpenTelemetry SDK. */
import * as diagnosticsChannel from "node:diagnostics_channel";
import { Agent } from "pi-agent";
import { createChannelApi, trace } from "pi-agent/otel";
import { getModel } from "pi-ai";
import type { ChannelSpan } from "pi-ai/otel";

const agent = new Agent({
  initialState: { model: getModel("anthropic", "claude-sonnet-5-5") },
  // With OpenTelemetry: import * as api from "@opentelemetry/api", and pass { api }.
  middleware: [trace({ api: createChannelApi(diagnosticsChannel), name: "geographer" })],
});

diagnosticsChannel.subscribe("pi.span.end", (message) => {
  // The channel has no other messages.
  const { name, attributes, failure, startTime, endTime = startTime } = message as ChannelSpan;
  const { "gen_ai.usage.output_tokens": tokens, "error.type": error } = attributes;
  console.log(JSON.stringify({ name, ms: endTime - startTime, tokens, error, failure }));
});

await agent.prompt("Name three rivers in Norway.");
