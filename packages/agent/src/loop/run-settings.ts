/** The settings of one run: its own copy of the configuration, which updates and keys change, never that of the caller. */
import { assertModel, collectSecrets } from "pi-ai/call";
import {
  type CallSettings,
  type CommonStreamOptions,
  checkRunSettings,
  pickCallSettings,
  pickStreamOptions,
  SETTINGS,
} from "../settings.js";
import type { AgentLoopConfig } from "../types/config.js";
import type { AgentLoopTurnUpdate } from "../types/hooks.js";
import type { RunHooks } from "../types/middleware.js";

/** The configuration without the kinds of hooks that middleware has, too: those of `AgentRun.middleware` include them. */
export type RunConfig = Omit<AgentLoopConfig, keyof RunHooks>;

/** The kinds of hooks that the application and middleware have. */
type SharedHooks = Pick<AgentLoopConfig, keyof RunHooks & keyof AgentLoopConfig>;

export class RunSettings {
  readonly config: RunConfig;
  /** Those of the application, from which the hooks of `AgentRun.middleware` are composed. */
  readonly ownHooks: SharedHooks;
  /** The options of the next request. */
  readonly streamOptions: CommonStreamOptions;
  /** The clock of the run, if it is not that of the system; in a durable run the same in each process. */
  readonly clock: (() => number) | undefined;
  #callSettings: CallSettings;
  #apiKey: string | undefined;

  constructor(config: AgentLoopConfig) {
    checkRunSettings(config);
    const { wrapModelCall, beforeToolCall, wrapToolCall, afterToolCall, transformContext, ...others } = config;
    this.config = others;
    this.ownHooks = { wrapModelCall, beforeToolCall, wrapToolCall, afterToolCall, transformContext };
    this.streamOptions = pickStreamOptions(config);
    this.#callSettings = pickCallSettings(config);
    const { steps, now } = config;
    this.clock = steps?.now ? () => steps.now?.() ?? Date.now() : now;
  }

  /** The settings of each tool call, its composed hooks included (`AgentRun.useMiddleware`). */
  get callSettings(): CallSettings {
    return this.#callSettings;
  }

  /** Takes the composed hooks around tool calls; each includes that of the application. */
  useCallHooks({ beforeToolCall, wrapToolCall, afterToolCall }: RunHooks): void {
    this.#callSettings = { ...this.#callSettings, beforeToolCall, wrapToolCall, afterToolCall };
  }

  /** Changes what the next requests use. A hook of the application may return anything. */
  update({ model, thinkingLevel }: AgentLoopTurnUpdate): void {
    if (thinkingLevel !== undefined) SETTINGS.reasoning.check("thinkingLevel", thinkingLevel);
    if (model) {
      assertModel(model);
      this.config.model = model;
    }
    if (thinkingLevel === "off") delete this.streamOptions.reasoning;
    else if (thinkingLevel) this.streamOptions.reasoning = thinkingLevel;
  }

  /** Takes the key of the latest request, which must not appear in texts. */
  useKey(apiKey: string | undefined): void {
    this.#apiKey = apiKey;
  }

  /** Forgets what may hold a key of the provider. */
  forgetKeys(): void {
    delete this.config.apiKey;
    delete this.streamOptions.headers;
  }

  /** The values that must not appear in texts. */
  secrets(): readonly string[] {
    return collectSecrets([this.#apiKey], this.config.headers, this.config.model.headers);
  }
}
