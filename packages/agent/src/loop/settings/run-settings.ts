/** The settings of a run when it begins: their check, and the options of its requests. An agent that has not run needs none of it. */
import type { SimpleStreamOptions } from "pi-ai";
import type { AgentLoopConfig } from "../../types/config.js";
import {
  type CommonStreamOptions,
  checkStreamOption,
  isSetting,
  SETTING_NAMES,
  SETTINGS,
  STREAM_OPTION_NAMES,
} from "./settings.js";

/** Options of a request that the run itself sets. */
const OF_RUN: readonly string[] = ["apiKey", "signal"];
/** The names that a run knows. Options of requests are among them, because a configuration holds both. */
const KNOWN: readonly string[] = [...SETTING_NAMES, ...STREAM_OPTION_NAMES, ...OF_RUN];

/** Picks the options of requests from the configuration of a run: all that is not a setting, or is an option as well. */
export function pickStreamOptions(config: AgentLoopConfig): CommonStreamOptions {
  const names: readonly string[] = STREAM_OPTION_NAMES;
  const isOption = (name: string): boolean => names.includes(name) || !(isSetting(name) || OF_RUN.includes(name));
  // Each value was read from the option of the same name.
  const options = Object.fromEntries(
    Object.entries(config).filter(([name, value]) => value !== undefined && isOption(name)),
  ) as CommonStreamOptions;
  // A route asks for the keys of the other models that it tries.
  if (config.getApiKey && !options.apiKeyFor) options.apiKeyFor = config.getApiKey;
  return options;
}

/** @throws TypeError or ConfigError that names a setting with a wrong value or an unknown name */
export function checkRunSettings(config: AgentLoopConfig): void {
  for (const [name, value] of Object.entries(config)) {
    if (value === undefined) continue;
    if (isSetting(name)) SETTINGS[name].check(name, value);
    else checkStreamOption(name, KNOWN, "");
  }
}

/** A new object for one request: its stream function may keep and change it. */
export function buildStreamOptions(
  common: CommonStreamOptions,
  apiKey: string | undefined,
  signal: AbortSignal | undefined,
): SimpleStreamOptions {
  const options: SimpleStreamOptions = { ...common };
  if (apiKey) options.apiKey = apiKey;
  if (signal) options.signal = signal;
  return options;
}
