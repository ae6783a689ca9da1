/** Shows the runs of live agents on a page. */
import { createRelayLauncher, type RelayOptions } from "./fork/relay-launcher.js";
import { acquireInspector, type Inspector } from "./inspector.js";
import { type RecordOptions, type RunRecorder, recordRuns } from "./live/recorder.js";
import { createRunLauncher, type ForkOptions, type RecordedRun } from "./live/run-launcher.js";
import type { Launcher } from "./record/launcher.js";
import type { Shown } from "./record/shown.js";

/** The options of {@link inspect}. */
export interface InspectOptions extends RecordOptions, ForkOptions {
  /** The port of the server. The first inspector of the process decides. Default 0: any free port. */
  port?: number | undefined;
  /**
   * A relay that sends the requests of forked runs with its own keys. `false` turns forks off. Default: the run sends them
   * itself, through its own middleware.
   */
  rerun?: RelayOptions | false | undefined;
  /** Called with the address of the page. Default: writes it to standard error. */
  onUrl?: ((url: string) => void) | undefined;
}

/** An inspector as middleware of an agent, or of the functions of the loop. */
export interface InspectMiddleware extends RunRecorder, Omit<Inspector, "url"> {
  /** The address of the page. Rejects if the server could not be started, or with what `onUrl` threw. */
  readonly url: Promise<string>;
}

/** An agent that exists already, such as an `Agent` of `pi-agent`. */
export interface InspectableAgent {
  /** The list that the inspector is added to. */
  middleware?: readonly { readonly name: string }[] | undefined;
  /** The state. Options have none. */
  readonly state: object;
}

/**
 * Serves a page on 127.0.0.1 that shows runs: of the agents that have it in their `middleware`, and of the agents that their
 * tools run. The inspectors of a process share one page, which keeps the last 500 runs. The server does not keep the process
 * alive. A run that two inspectors see is recorded once, with the options of the first.
 *
 * Pass an agent that exists already as the first argument: all of its later runs are shown. The promise then rejects with the
 * system's error if the port is taken, and with what `onUrl` throws.
 *
 * @throws a `TypeError` if the address of the relay is not a URL, and an `Error` if it is neither HTTP nor HTTPS
 *
 * @example
 * const agent = new Agent({ initialState: { model }, middleware: [inspect()] });
 * await agent.prompt("Hi");
 */
export function inspect(options?: InspectOptions & { state?: undefined }): InspectMiddleware;
export function inspect(agent: InspectableAgent, options?: InspectOptions): Promise<Inspector>;
export function inspect(
  first: (InspectOptions & { state?: undefined }) | InspectableAgent = {},
  options: InspectOptions = {},
): InspectMiddleware | Promise<Inspector> {
  return isAgent(first) ? attach(first, options) : createMiddleware(first);
}

function isAgent(value: object): value is InspectableAgent {
  return "state" in value && value.state !== undefined;
}

async function attach(agent: InspectableAgent, options: InspectOptions): Promise<Inspector> {
  const own = createMiddleware(options);
  agent.middleware = [...(agent.middleware ?? []), own];
  const close = (): Promise<void> => {
    agent.middleware = agent.middleware?.filter((one) => one !== own);
    return own.close();
  };
  try {
    return { url: await own.url, close };
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
}

function createMiddleware(options: InspectOptions): InspectMiddleware {
  const createOwn = createLaunch(options);
  const { store, server, release } = acquireInspector(options.port);
  const launch = createOwn && ((run: RecordedRun) => createOwn(run, store.shown));
  const { stop, ...recorder } = recordRuns(store, { ...options, launch });
  const { onUrl = (address) => void process.stderr.write(`pi-inspect: ${address}\n`) } = options;
  const url = server.then((started) => {
    onUrl(started.url);
    return started.url;
  });
  // Nobody has to ask for the address.
  url.catch(() => {});
  let closed: Promise<void> | undefined;
  return {
    ...recorder,
    url,
    close: () => {
      stop();
      closed ??= release();
      return closed;
    },
  };
}

/** With a relay, the relay sends the requests, and tools still run in this process. */
function createLaunch(options: InspectOptions): ((run: RecordedRun, shown: Shown) => Launcher) | undefined {
  if (options.rerun === false) return undefined;
  const relay = options.rerun && createRelayLauncher(options.rerun);
  return (run, shown) => {
    const own = createRunLauncher(run, options, shown);
    if (!relay) return own;
    return {
      target: relay.target,
      models: options.models ?? [],
      anyModel: true,
      send: (request, watched) => relay.send(request, watched),
      canRun: (tool) => own.canRun(tool),
      runTool: (call) => own.runTool(call),
      end: async (signal) => own.end?.(signal),
    };
  };
}
