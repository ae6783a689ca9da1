/** Uses another model if the first one fails before its first content. */
import { Agent, type StreamFn } from "pi-agent";
import {
  type AssistantMessage,
  type AssistantMessageEvent,
  type AssistantMessageEventStream,
  createAssistantMessageEventStream,
  getModel,
  isRetryableAssistantError,
  streamSimple,
} from "pi-ai";

const SECOND = getModel("openai", "gpt-5.4");

/** Forwards events. Returns the message if it fails before any content, and another model may succeed. */
async function forward(
  events: AsyncIterable<AssistantMessageEvent>,
  out: AssistantMessageEventStream,
): Promise<AssistantMessage | undefined> {
  let start: AssistantMessageEvent | undefined;
  let begun = false;
  for await (const event of events) {
    if (event.type === "start") start = event;
    else if (!begun && event.type === "error" && isRetryableAssistantError(event.error)) return event.error;
    else {
      if (!begun && start) out.push(start);
      begun = true;
      out.push(event);
    }
  }
  return undefined;
}

const withFallback: StreamFn = (model, context, options) => {
  const out = createAssistantMessageEventStream();
  const run = async (): Promise<void> => {
    // The first model is not retried, because the second one is the retry.
    const failed = await forward(streamSimple(model, context, { ...options, maxRetries: 0 }), out);
    if (!failed) return;
    console.log(`${model.id} failed (${failed.error?.kind}); ${SECOND.id} takes over`);
    for await (const event of streamSimple(SECOND, context, options)) out.push(event);
  };
  run().catch(() => out.end());
  return out;
};

const agent = new Agent({
  initialState: { model: getModel("anthropic", "claude-sonnet-4-6") },
  streamFn: withFallback,
});
await agent.prompt("Name three rivers in Norway.");
console.log(agent.state.errorMessage ?? agent.state.messages.at(-1));
