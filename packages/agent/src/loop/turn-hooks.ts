/** Calls the hooks between two turns. In a durable run they are steps, which another process does not repeat. */
import type { AgentLoopTurnUpdate, ShouldStopAfterTurnContext } from "../types/hooks.js";
import type { AgentMessage } from "../types/message.js";
import { OperationAborted } from "./abort-gate.js";
import type { AgentRun } from "./agent-run.js";
import { findTool } from "./tool-arguments.js";

/** Calls `prepareNextTurn`, then `shouldStopAfterTurn`. Returns whether the run is over. */
export async function callTurnHooks(run: AgentRun, turn: () => ShouldStopAfterTurnContext): Promise<boolean> {
  const { prepareNextTurn, shouldStopAfterTurn, runSteps } = run.config;
  if (prepareNextTurn) {
    const update = await callHook(run, "prepareNextTurn", async () => {
      const returned = await prepareNextTurn(turn(), run.gate.signal);
      return returned && runSteps ? toPlainUpdate(run, returned) : returned;
    });
    if (update) run.update(isPlainUpdate(update) ? fromPlainUpdate(run, update) : update);
  }
  if (!shouldStopAfterTurn) return false;
  return Boolean(await callHook(run, "shouldStopAfterTurn", async () => Boolean(await shouldStopAfterTurn(turn()))));
}

/** Returns undefined after an abort, because the run ends anyway. */
async function callHook<TValue>(
  { gate, config }: AgentRun,
  name: string,
  call: () => Promise<TValue>,
): Promise<TValue | undefined> {
  const callUnlessAborted = async (): Promise<TValue | undefined> => {
    try {
      gate.check();
      return await gate.wait(call());
    } catch (error) {
      if (error instanceof OperationAborted) return undefined;
      throw error;
    }
  };
  return config.runSteps ? config.runSteps.hook(name, callUnlessAborted) : callUnlessAborted();
}

/** An update in a form that survives JSON: tools by name, and messages only if they were replaced. */
interface PlainUpdate extends Omit<AgentLoopTurnUpdate, "context"> {
  plainContext: { systemPrompt: string; messages: AgentMessage[] | undefined; tools: string[] | undefined };
}

function isPlainUpdate(update: AgentLoopTurnUpdate | PlainUpdate): update is PlainUpdate {
  return "plainContext" in update;
}

function toPlainUpdate(run: AgentRun, update: AgentLoopTurnUpdate): AgentLoopTurnUpdate | PlainUpdate {
  const { context, ...rest } = update;
  if (!context) return update;
  const messages = context.messages === run.context.messages ? undefined : context.messages;
  const tools = context.tools?.map(({ name }) => name);
  const plain = { ...rest, plainContext: { systemPrompt: context.systemPrompt, messages, tools } };
  // An unknown tool must fail here, in the process that called the hook.
  fromPlainUpdate(run, plain);
  return plain;
}

function fromPlainUpdate(run: AgentRun, { plainContext, ...rest }: PlainUpdate): AgentLoopTurnUpdate {
  const { systemPrompt, messages, tools: names } = plainContext;
  const tools = names?.map((name) => {
    const tool = findTool(run.tools, name);
    if (tool) return tool;
    throw new Error(
      `prepareNextTurn returned the tool "${name}", which the agent does not have: another process could not find it`,
    );
  });
  const context = { systemPrompt, messages: messages ?? run.context.messages, ...(tools && { tools }) };
  return { ...rest, context };
}
