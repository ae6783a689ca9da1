/** Runs the same scenario through each way to run the loop. */
import {
  Agent,
  type AgentEvent,
  type AgentLimits,
  type AgentLoopConfig,
  type AgentLoopHooks,
  type AgentMessage,
  type AnyAgentTool,
  agentLoop,
  type QueueMode,
  runAgentLoop,
  type ToolExecutionMode,
} from "pi-agent";
import { MODEL, type ScriptedStream, user } from "./scripted-stream.js";

/** The actions of a scenario from outside the loop. */
export interface Controls {
  abort(): void;
  steer(message: AgentMessage): void;
  followUp(message: AgentMessage): void;
}

export interface Scenario {
  stream: ScriptedStream;
  /** The prompts. Default: one user message. */
  prompts?: AgentMessage[];
  tools?: AnyAgentTool[];
  toolExecution?: ToolExecutionMode;
  hooks?: AgentLoopHooks & Pick<Partial<AgentLoopConfig>, "convertToLlm" | "serverToolHandlers">;
  limits?: AgentLimits;
  steering?: AgentMessage[];
  followUps?: AgentMessage[];
  /** The mode of both queues. */
  mode?: QueueMode;
  /** Called when a listener has received an event. */
  onEvent?: (event: AgentEvent, controls: Controls) => void;
}

export interface Recording {
  events: AgentEvent[];
  newMessages: AgentMessage[];
}

export interface Driver {
  name: string;
  run(scenario: Scenario): Promise<Recording>;
}

export const agentDriver: Driver = {
  name: "Agent",
  async run(scenario) {
    const agent = new Agent({
      initialState: { model: MODEL, tools: scenario.tools ?? [] },
      streamFn: scenario.stream.streamFn,
      steeringMode: scenario.mode ?? "one-at-a-time",
      followUpMode: scenario.mode ?? "one-at-a-time",
      toolExecution: scenario.toolExecution ?? "parallel",
      ...scenario.hooks,
      ...scenario.limits,
    });
    for (const message of scenario.steering ?? []) agent.steer(message);
    for (const message of scenario.followUps ?? []) agent.followUp(message);
    const events: AgentEvent[] = [];
    agent.subscribe((event) => {
      events.push(event);
      scenario.onEvent?.(event, agent);
    });
    await agent.prompt(scenario.prompts ?? [user("hi")]);
    return { events, newMessages: agent.state.messages };
  },
};

export const sinkDriver: Driver = {
  name: "runAgentLoop",
  async run(scenario) {
    const { config, controls, signal } = createLoopInput(scenario);
    const events: AgentEvent[] = [];
    const emit = (event: AgentEvent): void => {
      events.push(event);
      scenario.onEvent?.(event, controls);
    };
    const context = { systemPrompt: "", messages: [], tools: scenario.tools ?? [] };
    const prompts = scenario.prompts ?? [user("hi")];
    const newMessages = await runAgentLoop(prompts, context, config, emit, signal, scenario.stream.streamFn);
    return { events, newMessages };
  },
};

export const streamDriver: Driver = {
  name: "agentLoop",
  async run(scenario) {
    const { config, controls, signal } = createLoopInput(scenario);
    const events: AgentEvent[] = [];
    const context = { systemPrompt: "", messages: [], tools: scenario.tools ?? [] };
    const stream = agentLoop(scenario.prompts ?? [user("hi")], context, config, signal, scenario.stream.streamFn);
    for await (const event of stream) {
      events.push(event);
      scenario.onEvent?.(event, controls);
    }
    return { events, newMessages: await stream.result() };
  },
};

export const drivers: Driver[] = [agentDriver, sinkDriver, streamDriver];

/** Drivers that wait for listeners, so that an action at an event comes before the next step. */
export const waitingDrivers: Driver[] = [agentDriver, sinkDriver];

/** Messages that wait for a turn, which takes one or all. */
function createQueue(mode: QueueMode) {
  const waiting: AgentMessage[] = [];
  return {
    add: (message: AgentMessage): void => void waiting.push(message),
    take: (): AgentMessage[] => waiting.splice(0, mode === "all" ? waiting.length : 1),
  };
}

function createLoopInput(scenario: Scenario): { config: AgentLoopConfig; controls: Controls; signal: AbortSignal } {
  const controller = new AbortController();
  const steering = createQueue(scenario.mode ?? "one-at-a-time");
  const followUps = createQueue(scenario.mode ?? "one-at-a-time");
  for (const message of scenario.steering ?? []) steering.add(message);
  for (const message of scenario.followUps ?? []) followUps.add(message);
  const config: AgentLoopConfig = {
    model: MODEL,
    // Custom messages do not occur here.
    convertToLlm: (messages) => messages as never,
    getSteeringMessages: async () => steering.take(),
    getFollowUpMessages: async () => followUps.take(),
    toolExecution: scenario.toolExecution ?? "parallel",
    ...scenario.hooks,
    ...scenario.limits,
  };
  const controls: Controls = {
    abort: () => controller.abort(),
    steer: (message) => steering.add(message),
    followUp: (message) => followUps.add(message),
  };
  return { config, controls, signal: controller.signal };
}
