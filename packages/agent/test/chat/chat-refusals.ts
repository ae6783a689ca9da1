/** What is refused, and what must not change a conversation: tried at any time, with what went wrong as the answer. */
import { type Agent, AgentBusyError } from "pi-agent";
import { SessionLogError, type SessionStore } from "pi-agent/session";
import type { Random } from "../../../../test/support/random.js";
import { namesOf } from "./chat-facts.js";

/** A second run, and `reset()`, while a run is under way. */
export async function intrude(agent: Agent, what: "prompt" | "reset"): Promise<string[]> {
  if (!agent.state.isStreaming) return [];
  try {
    if (what === "prompt") await agent.prompt("x");
    else agent.reset();
    return [`${what} during a run`];
  } catch (error) {
    return error instanceof AgentBusyError ? [] : [`${what}: ${error}`];
  }
}

/** A second writer, while the session is open. */
export async function openTwice(store: SessionStore, id: string): Promise<string[]> {
  try {
    await store.open(id);
    return ["a second writer has opened the session"];
  } catch (error) {
    return error instanceof SessionLogError && /in use/.test(error.message) ? [] : [`second writer: ${error}`];
  }
}

/** A branch has the messages before it, and does not part a call from its result. */
export async function branchAnywhere(
  store: SessionStore,
  { id, to, random }: { id: string; to: string; random: Random },
): Promise<string[]> {
  const messages = (await store.load(id))?.messages;
  if (!messages) return [];
  const at = random.below(messages.length + 1);
  try {
    await store.branch(id, { at, to });
  } catch (error) {
    const isRefused = error instanceof SessionLogError && messages[at]?.role === "toolResult";
    return isRefused ? [] : [`branch: ${error}`];
  }
  const names = namesOf((await store.load(to))?.messages ?? []).join(" ");
  return names === namesOf(messages.slice(0, at)).join(" ") ? [] : [`a branch at ${at} has ${names}`];
}
