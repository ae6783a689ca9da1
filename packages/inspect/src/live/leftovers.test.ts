import { hasSubscribers } from "node:diagnostics_channel";
import { expect, it } from "vitest";
import { RunStore } from "../record/run-store.js";
import { startServer } from "../server/start-server.js";
import { watchAgent } from "./watch-agent.js";

const CHANNELS = ["start", "update", "end"].map((stage) => `pi.request.${stage}`);

/** Counts listeners and servers. Other tests of the same process may have left some, so only the difference matters. */
function count(listeners: ReadonlySet<unknown>): unknown {
  const servers = process.getActiveResourcesInfo().filter((name) => name.startsWith("TCP")).length;
  return { listeners: listeners.size, channels: CHANNELS.map(hasSubscribers), servers };
}

it("leaves no listener and no server behind after an inspector was closed", async () => {
  const listeners = new Set<unknown>();
  const agent = {
    state: { model: { id: "m" }, systemPrompt: "", tools: [], messages: [] },
    subscribe: (listener: unknown) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const before = count(listeners);
  const store = new RunStore();
  const stop = watchAgent(agent, store);
  const server = await startServer({ store, assets: new Map(), keepAlive: false });
  expect(listeners.size).toBe(1);
  expect(CHANNELS.map(hasSubscribers)).toEqual([true, true, true]);
  stop();
  await server.close();
  expect(count(listeners)).toEqual(before);
});
