/** The decision about a turn in a form that survives JSON: tools by name, and messages only if they were replaced. */
import type { AgentLoopTurnUpdate } from "../../types/hooks.js";
import type { AgentMessage } from "../../types/message.js";
import type { TurnDecision } from "../../types/middleware.js";
import type { StepRun } from "../../types/run-steps.js";

interface PlainContext {
  systemPrompt: string;
  messages: AgentMessage[] | undefined;
  tools: string[] | undefined;
}

/** A stored decision. */
type PlainDecision = Omit<TurnDecision, "update"> & {
  update?: Omit<AgentLoopTurnUpdate, "context"> & { plainContext?: PlainContext };
};

/** @throws Error for a tool that the agent did not have at the start: another process could not find it */
export function toPlainDecision({ update, ...decision }: TurnDecision, run: StepRun): PlainDecision {
  if (!update) return decision;
  const { context, ...rest } = update;
  if (!context) return { ...decision, update: rest };
  const messages = context.messages === run.context.messages ? undefined : context.messages;
  const plainContext = { systemPrompt: context.systemPrompt, messages, tools: context.tools?.map(({ name }) => name) };
  // An unknown tool must fail here, in the process that called the hook.
  toContext(plainContext, run);
  return { ...decision, update: { ...rest, plainContext } };
}

export function fromPlainDecision({ update, ...decision }: PlainDecision, run: StepRun): TurnDecision {
  const { plainContext, ...rest } = update ?? {};
  const context = plainContext && { context: toContext(plainContext, run) };
  return { ...decision, ...(update && { update: { ...rest, ...context } }) };
}

function toContext(
  { systemPrompt, messages, tools: names }: PlainContext,
  { context, tools: known = [] }: StepRun,
): NonNullable<AgentLoopTurnUpdate["context"]> {
  const tools = names?.map((name) => {
    const tool = known.find((one) => one.name === name);
    if (tool) return tool;
    throw new Error(
      `prepareNextTurn returned the tool "${name}", which the agent does not have: another process could not find it`,
    );
  });
  // The run's own array, if the hook did not replace it: the run compares by identity.
  const own = messages ?? context.messages;
  return { systemPrompt, messages: own, ...(tools && { tools }) };
}
