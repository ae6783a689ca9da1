/** The settings of an agent, and the configuration of a run that is built from them. */

import { streamWithProviders } from "../apis/index.js";

import { keepLlmMessages } from "../loop/index.js";
import { AGENT_SETTINGS, SETTINGS } from "../settings.js";
import type { AgentLoopConfig } from "../types/config.js";
import type { AgentOptions, AgentSettings } from "../types/options.js";
import type { AgentState } from "../types/state.js";
import { checkAgentOptions } from "./check-agent-options.js";
import type { AgentQueues } from "./message-queue.js";

/** The settings of an agent with these options. Those that are not set are absent. */
export function createSettings(options: AgentOptions): Partial<AgentSettings> {
  checkAgentOptions(options);
  return {
    convertToLlm: keepLlmMessages,
    streamFn: streamWithProviders,
    streamOptions: {},
    transport: "auto",
    toolExecution: "parallel",
    ...pickDefined(options, [...AGENT_SETTINGS, "streamFn", "streamOptions"]),
    outputRequest: options.initialState?.output,
  };
}

/** The parts of the agent's state that a run uses, and its queues. */
interface RunInput extends Pick<AgentState, "model" | "thinkingLevel"> {
  queues: Pick<AgentQueues, "takeSteering" | "takeFollowUps">;
}

/** @throws TypeError or ConfigError for a setting that was changed to a wrong value */
export function createLoopConfig(settings: AgentSettings, { model, thinkingLevel, queues }: RunInput): AgentLoopConfig {
  for (const name of AGENT_SETTINGS) if (settings[name] !== undefined) SETTINGS[name].check(name, settings[name]);
  const config: AgentLoopConfig = {
    ...settings.streamOptions,
    convertToLlm: settings.convertToLlm,
    ...pickDefined(settings, AGENT_SETTINGS),
    model,
    getSteeringMessages: () => queues.takeSteering(),
    getFollowUpMessages: () => queues.takeFollowUps(),
  };
  if (settings.outputRequest) config.output = settings.outputRequest;
  if (thinkingLevel !== "off") config.reasoning = thinkingLevel;
  // Whether there is a hook is decided at the start of a run; which one, at each call.
  if (config.prepareNextTurn) config.prepareNextTurn = (context, signal) => settings.prepareNextTurn?.(context, signal);
  return config;
}

type Defined<TSource> = { [TKey in keyof TSource]?: Exclude<TSource[TKey], undefined> };

function pickDefined<TSource extends object>(source: TSource, names: readonly (keyof TSource)[]): Defined<TSource> {
  const entries = names.filter((name) => source[name] !== undefined).map((name) => [name, source[name]]);
  // The entries come from the source itself.
  return Object.fromEntries(entries) as Defined<TSource>;
}
