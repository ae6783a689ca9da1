/** Calls `transformContext`. Only runs with that hook load this module. */
import { isRecord } from "pi-ai/call";
import type { AgentMessage } from "../types/message.js";
import type { AgentRun } from "./agent-run.js";
import { notMessages } from "./llm-messages.js";

const HOOK_ENDED = "transformContext has ended";

/**
 * Calls `transformContext`. It can add messages to the conversation unless the run is durable, or the response has begun:
 * a message must not come between the start of another one and its end.
 */
export async function transformMessages(
  run: AgentRun,
  messages: AgentMessage[] = run.context.messages,
  adding: "with add" | "without add" = "with add",
): Promise<AgentMessage[]> {
  const { config, gate } = run;
  let over = false;
  const add = async (message: AgentMessage): Promise<void> => {
    if (over || gate.aborted) throw new Error(HOOK_ENDED);
    run.add(message);
    await run.emitMessage(message);
  };
  const canAdd = adding === "with add" && !config.runSteps && !run.openResponse;
  try {
    const returned = await gate.wait(
      config.transformContext?.(messages, gate.signal, canAdd ? add : undefined, run.hookRun),
    );
    if (!Array.isArray(returned) || !returned.every(isRecord)) throw notMessages("transformContext");
    return returned;
  } finally {
    over = true;
  }
}
