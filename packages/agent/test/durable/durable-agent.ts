/** Creates agents of durable runs, with approvals. */
import { Agent, type AgentOptions, type AnyAgentTool } from "pi-agent";
import { type ApprovalsOptions, approvals } from "pi-agent/approvals";
import { type DurableOptions, type DurableSteps, durable } from "pi-agent/durable";

export interface DurableAgentOptions extends Omit<AgentOptions, "steps" | "now">, DurableOptions {
  engine: DurableSteps;
  tools?: readonly AnyAgentTool[];
  approve?: ApprovalsOptions["when"];
}

export function durableAgent({
  engine,
  tools,
  approve,
  runId,
  inbox,
  detectChanges,
  now,
  ...options
}: DurableAgentOptions): Agent {
  const { middleware = [], initialState } = options;
  return new Agent({
    ...options,
    initialState: { ...initialState, ...(tools && { tools }) },
    steps: durable(engine, {
      ...(runId !== undefined && { runId }),
      ...(inbox && { inbox }),
      ...(detectChanges !== undefined && { detectChanges }),
      ...(now && { now }),
    }),
    middleware: approve ? [...middleware, approvals({ when: approve })] : middleware,
  });
}
