/** Adds a log to the middleware of an agent that exists. */
import type { Agent } from "pi-agent";
import type { SessionLog } from "pi-agent/session";

export async function logged(agent: Pick<Agent, "middleware">, opening: Promise<SessionLog>): Promise<SessionLog> {
  const log = await opening;
  agent.middleware = [...(agent.middleware ?? []), log];
  return log;
}
