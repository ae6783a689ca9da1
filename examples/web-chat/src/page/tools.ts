/** Tools that run in the page. */
import type { AnyAgentTool } from "pi-agent";

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

export const TOOLS: AnyAgentTool[] = [clock, dice];

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
