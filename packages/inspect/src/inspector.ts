/** The store and the server that all agents of a process share. */
import { processState } from "./record/process-state.js";
import { RunStore } from "./record/run-store.js";
import { type Assets, type InspectServer, loadAssets, startServer } from "./server/start-server.js";

/** A page that is being served. */
export interface Inspector {
  /** The address of the page, with the token. Whoever has it can read everything that the page shows. */
  url: string;
  /** Stops the server and the recording. */
  close(): Promise<void>;
}

/** Loads the page from the folder beside this code, where the build of the package puts it. */
export const loadPage = (): Promise<Assets> => loadAssets(new URL("./page/", import.meta.url));

interface SharedInspector {
  store: RunStore;
  server: Promise<InspectServer>;
  users: number;
}

const state = processState("inspector", (): { shared?: SharedInspector | undefined } => ({}));

/** The shared inspector, as one of its users sees it. */
export interface Acquired {
  /** Can be used before the server has started. */
  store: RunStore;
  /** Rejects if the server cannot be started. */
  server: Promise<InspectServer>;
  release: () => Promise<void>;
}

/** Starts the server for the first user. When the last user calls `release`, the server stops. */
export function acquireInspector(port = 0): Acquired {
  state.shared ??= start(port);
  const own = state.shared;
  own.users++;
  return { store: own.store, server: own.server, release: () => release(own) };
}

function start(port: number): SharedInspector {
  const store = new RunStore();
  const server = loadPage().then((assets) => startServer({ store, assets, port, keepAlive: false }));
  return { store, server, users: 0 };
}

async function release(own: SharedInspector): Promise<void> {
  if (--own.users > 0) return;
  if (state.shared === own) state.shared = undefined;
  await (await own.server).close();
}
