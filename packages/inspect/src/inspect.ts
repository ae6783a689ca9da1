/** Shows the runs of a live agent on a page. */
import { createRelayLauncher, type RelayOptions } from "./fork/relay-launcher.js";
import { acquireInspector, type Inspector } from "./inspector.js";
import { type AgentLauncherOptions, createAgentLauncher, type InspectableAgent } from "./live/agent-launcher.js";
import { type WatchOptions, watchAgent } from "./live/watch-agent.js";
import type { Launcher } from "./record/launcher.js";

/** The options of {@link inspect}. */
export interface InspectOptions extends WatchOptions, AgentLauncherOptions {
  /** The port of the server. The first agent of the process decides. Default 0: any free port. */
  port?: number;
  /**
   * A relay that sends the requests of forked runs with its own keys. `false` turns forks off. Default: the agent's own
   * `streamFn` sends them.
   */
  rerun?: RelayOptions | false;
  /** Called with the address of the page. Default: writes it to standard error. */
  onUrl?: (url: string) => void;
}

/**
 * Serves a page on 127.0.0.1 that shows all later runs of an agent. The agents of a process share one page, which keeps
 * the last 500 runs. The server does not keep the process alive. An agent that is inspected twice is recorded once, with
 * the `name` and the options for forks of the first time.
 *
 * @throws the system's error if the port is taken, a `TypeError` if the address of the relay is not a URL, and an `Error`
 *   if it is neither HTTP nor HTTPS, and what `onUrl` throws
 *
 * @example
 * const inspector = await inspect(agent);
 * await agent.prompt("Hi");
 */
export async function inspect(agent: InspectableAgent, options: InspectOptions = {}): Promise<Inspector> {
  const launcher = createLauncher(agent, options);
  const { store, server, release } = acquireInspector(options.port);
  const stop = watchAgent(agent, store, { ...options, launcher });
  const { onUrl = (address) => void process.stderr.write(`pi-inspect: ${address}\n`) } = options;
  let url: string;
  try {
    ({ url } = await server);
    onUrl(url);
  } catch (error) {
    stop();
    await release().catch(() => {});
    throw error;
  }
  let closed: Promise<void> | undefined;
  return {
    url,
    close: () => {
      stop();
      closed ??= release();
      return closed;
    },
  };
}

/**
 * The launcher of the agent's forks. With a relay, the relay sends the requests, and tools still run in this process.
 */
function createLauncher(agent: InspectableAgent, options: InspectOptions): Launcher | undefined {
  if (options.rerun === false) return undefined;
  const own = createAgentLauncher(agent, options);
  if (!options.rerun) return own;
  const relay = createRelayLauncher(options.rerun);
  return {
    target: relay.target,
    models: options.models ?? [],
    anyModel: true,
    send: (request, watched) => relay.send(request, watched),
    canRun: (tool) => own?.canRun(tool) ?? false,
    runTool: (call) => (own ?? relay).runTool(call),
  };
}
