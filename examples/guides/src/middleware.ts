/** Three middlewares: a cache of responses, the redaction of secrets, and a guard that asks a second model. */
import { Agent, type AgentMiddleware } from "pi-agent";
import { limits } from "pi-agent/limits";
import { type AssistantMessage, type Context, getModel, type Model } from "pi-ai";
import { addUsage } from "pi-ai/count";

/** Returns the stored response to a request that was sent before, without a request and without a cost. */
export function cacheResponses(store: Map<string, AssistantMessage>): AgentMiddleware {
  const keyOf = ({ systemPrompt, messages, tools = [] }: Context, { id }: Model): string => {
    const names = tools.map(({ name }) => name);
    // Not the times of the messages, which are others in each run.
    return JSON.stringify([id, systemPrompt, names, messages.map(({ role, content }) => [role, content])]);
  };
  return {
    name: "cache",
    order: { inside: ["limits"] },
    begin: () => ({
      wrapModelCall: async ({ model, context, options }, send) => {
        const key = keyOf(context, model);
        const known = store.get(key);
        if (known) return { ...known, usage: addUsage([]) };
        const response = await send({ model, context, options });
        if (response.stopReason === "stop" || response.stopReason === "toolUse") store.set(key, response);
        return response;
      },
    }),
  };
}

/** Replaces secrets in everything that a model gets. The transcript keeps them. */
export function redact(secrets: RegExp): AgentMiddleware {
  const clean = <TMessage>(messages: readonly TMessage[]): TMessage[] =>
    JSON.parse(JSON.stringify(messages).replace(secrets, "[redacted]"));
  return {
    name: "redact",
    begin: () => ({
      // Before a request is built, also after an overflow, and before messages are summarised.
      transformContext: async (messages) => clean(messages),
      // Around requests that other middleware sends beside the conversation.
      wrapModelCall: ({ model, context, options }, send) =>
        send({ model, context: { ...context, messages: clean(context.messages) }, options }),
    }),
  };
}

/** Asks a second model before a tool runs. A call that it does not allow gets an error result. */
export function guard(judge: Model, rule: string): AgentMiddleware {
  return {
    name: "guard",
    begin: (run) => ({
      beforeToolCall: async ({ toolCall: { name, arguments: args } }) => {
        const content = `The call: ${name}(${JSON.stringify(args)})`;
        const { content: blocks } = await run.request({
          model: judge,
          context: {
            systemPrompt: `You check the tool calls of an assistant. The rule: ${rule} Reply with yes or no only.`,
            messages: [{ role: "user", content, timestamp: run.now() }],
          },
        });
        const [block] = blocks;
        const isAllowed = block?.type === "text" && /^yes\b/i.test(block.text.trim());
        return isAllowed ? undefined : { block: true, reason: "A second model did not allow this call." };
      },
    }),
  };
}

const model = getModel("anthropic", "claude-sonnet-5-5");

/** Nothing after the first entry sees a secret, and what the cache answers costs nothing. */
export const agent: Agent = new Agent({
  initialState: { model },
  middleware: [
    redact(/sk-[\w-]+/g),
    cacheResponses(new Map()),
    limits({ budget: { usd: 0.5 } }),
    guard(getModel("anthropic", "claude-haiku-5-5"), "Nothing may be deleted."),
  ],
});
