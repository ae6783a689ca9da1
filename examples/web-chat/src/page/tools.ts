/** Tools that run in the page. */
import { type AnyAgentTool, defineTool } from "pi-agent";
import { Type } from "pi-ai";

const result = (text: string) => ({ content: [{ type: "text" as const, text }], details: undefined });

const clock: AnyAgentTool = {
  name: "current_time",
  label: "Clock",
  description: "The time and date where the user is.",
  parameters: { type: "object", properties: {}, additionalProperties: false },
  execute: async () => result(new Date().toLocaleString("en", { dateStyle: "full", timeStyle: "short" })),
};

const dice: AnyAgentTool = {
  name: "roll_dice",
  label: "Dice",
  description: "Rolls dice, one after the other.",
  parameters: {
    type: "object",
    properties: {
      count: { type: "integer", minimum: 1, maximum: 10 },
      sides: { type: "integer", minimum: 2, maximum: 100 },
    },
    required: ["count", "sides"],
    additionalProperties: false,
  },
  execute: async (_id, { count, sides }: { count: number; sides: number }, signal, onUpdate) => {
    const rolled: number[] = [];
    while (rolled.length < count) {
      await sleep(700, signal);
      rolled.push(1 + Math.floor(Math.random() * sides));
      onUpdate?.(result(`${rolled.join(", ")} …`));
    }
    return result(`${rolled.join(", ")}, together ${rolled.reduce((sum, one) => sum + one, 0)}.`);
  },
};

const pay = defineTool({
  name: "pay",
  label: "Payment",
  description: "Pays a sum. Only in words: there is no money in this page.",
  parameters: Type.Object({ euros: Type.Number({ minimum: 0.01, maximum: 1000 }) }),
  execute: async (_id, { euros }) => `Paid ${euros} euros (not really).`,
});

const Pizza = Type.Object({
  size: Type.Enum({ small: "small", large: "large" }),
  count: Type.Integer({ minimum: 1, maximum: 5 }),
  toGo: Type.Optional(Type.Boolean()),
  note: Type.Optional(Type.String({ maxLength: 200 })),
});

const pizza = defineTool({
  name: "order_pizza",
  label: "Pizza",
  description: "Orders pizza (not really). Asks the user for the size and the number.",
  parameters: Type.Object({ kind: Type.String() }),
  execute: async (_id, { kind }, _signal, _onUpdate, context) => {
    const order = await context.ask({ message: `How would you like your ${kind}?`, schema: Pizza });
    return `Ordered ${order.count} ${order.size} ${kind}${order.toGo ? " to go" : ""}${order.note ? `: ${order.note}` : ""}`;
  },
});

export const TOOLS: AnyAgentTool[] = [clock, dice, pay, pizza];

/** The names of the tools that run only if the user approves. */
export const NEEDS_APPROVAL: ReadonlySet<string> = new Set([pay.name]);

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
