/** Shows the runs of an agent on a page, live. */
import { acquireInspector, type Inspector } from "./inspector.js";
import type { InspectableAgent } from "./live/inspectable-agent.js";
import { type WatchOptions, watchAgent } from "./live/watch-agent.js";

/** The options of {@link inspect}. */
export interface InspectOptions extends WatchOptions {
  /** The port of the first agent's server. Default 0: any free port. */
  port?: number;
  /** Receives the address of the page. Default: it is written to standard error. */
  onUrl?: (url: string) => void;
}

/**
 * Serves a page on 127.0.0.1 that shows the runs of an agent from now on. Agents of one process share the page, which
 * keeps the last 500 runs. The server does not keep the process alive.
 *
 * @throws the error of the network if the port is taken
 *
 * @example
 * const inspector = await inspect(agent);
 * await agent.prompt("Hi");
 */
export async function inspect(agent: InspectableAgent, options: InspectOptions = {}): Promise<Inspector> {
  const { store, server, release } = acquireInspector(options.port);
  const stop = watchAgent(agent, store, options);
  let url: string;
  try {
    ({ url } = await server);
  } catch (error) {
    stop();
    await release().catch(() => {});
    throw error;
  }
  const { onUrl = (address) => void process.stderr.write(`pi-inspect: ${address}\n`) } = options;
  onUrl(url);
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
