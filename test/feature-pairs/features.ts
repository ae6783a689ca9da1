/** All features, and the meaning of a scene in which some of them meet. */
import type { AgentMessage } from "pi-agent";
import { sumUsage } from "pi-agent/limits";
import { isFailure } from "pi-ai/call";
import { expect } from "vitest";
import { DIED } from "./doubles.js";
import { count, type Feature, responseTexts } from "./feature.js";
import { ownHooks } from "./own-hooks.js";
import { readerFeatures } from "./reader-features.js";
import { runFeatures } from "./run-features.js";
import { type Cut, type HostName, type Needs, type ProcessView, REPLIES, Scene, type Seen } from "./scene.js";
import { streamFeatures } from "./stream-features.js";
import { thirdPartyFeatures } from "./third-party-features.js";

/** One row for each feature. */
export const FEATURES: readonly Feature[] = [
  ...ownHooks,
  ...runFeatures,
  ...streamFeatures,
  ...readerFeatures,
  ...thirdPartyFeatures,
];

/** How a scene is played. */
export interface Play {
  readonly host: HostName;
  /** Default: no run ends early. */
  readonly cut?: Cut;
  /** The number of steps after which the first process of a durable run dies. Default: in the middle of the first run. */
  readonly dieAt?: number;
  /** Whether the model calls both tools in one response. */
  readonly parallel?: boolean;
}

/** Plays a scene with some features, in this order, and returns what each of them misses. */
export async function playFeatures(features: readonly Feature[], play: Play): Promise<string[]> {
  const { host, cut = {}, dieAt, parallel = false } = play;
  const needs: Needs = Object.assign({ parallel }, ...features.map((feature) => feature.needs));
  const scene = new Scene(needs, cut);
  const attached = features.map((feature) => ({ name: feature.name, ...feature.begin(scene) }));
  const processes: ProcessView[] = [];
  for (const end of needs.replay ? [dieAt ?? DIE_AT, undefined, undefined] : [undefined]) {
    const setup = scene.createSetup(end);
    for (const { attach } of attached) await attach(setup);
    processes.push(await scene.play(host, setup));
  }
  const last = processes.at(-1);
  if (!last) throw new Error("There is a process");
  const { server, toolRuns } = scene;
  const names = features.map(({ name }) => name);
  const isCut = Object.keys(cut).length > 0;
  const diesInside = dieAt === undefined && !isCut;
  const seen: Seen = { host, server, names, processes, last, toolRuns, isCut, diesInside };
  const misses: string[] = [];
  for (const { name, check } of [{ name: "scene", check: checkScene }, ...attached]) {
    try {
      await check(seen);
    } catch (error) {
      misses.push(`${name}: ${describe(error)}`);
    }
  }
  return misses;
}

/** In the middle of the first run. */
const DIE_AT = 5;

/** What holds for every list: the runs end well, each reply is there once, and the usage adds up. */
function checkScene({ processes, server, host, isCut }: Seen): void {
  for (const { error, messages, events } of processes) {
    if (isDeath(error)) continue;
    if (error) throw error;
    const ends = events.filter((event) => event.type === "agent_end");
    // The first response of an agent's next run names what came after the last one.
    const unnamed = (host === "Agent" ? ends.slice(-1) : ends).flatMap(({ sideUsages = [] }) => sideUsages);
    const after = unnamed.reduce((sum, { cost }) => sum + cost.total, 0);
    expect(sumUsage(messages).cost.total + after, "dollars in the transcript").toBe(server.dollars);
    expect(findSeparated(messages), "calls whose results do not follow at once").toEqual([]);
    if (isCut) continue;
    const failed = failures(messages);
    if (failed.length > 0) throw new Error(failed.join(", "));
    for (const reply of REPLIES) expect(count(responseTexts(messages), reply), `"${reply}" in the transcript`).toBe(1);
  }
}

/** The ids of calls that something separates from their results. */
function findSeparated(messages: readonly AgentMessage[]): string[] {
  return messages.flatMap((message, place) => {
    if (message.role !== "assistant" || isFailure(message.stopReason)) return [];
    const calls = message.content.filter((block) => block.type === "toolCall");
    const following = messages.slice(place + 1, place + 1 + calls.length);
    const results = new Set(following.map((next) => (next.role === "toolResult" ? next.toolCallId : "")));
    return calls.flatMap(({ id }) => (results.has(id) ? [] : [id]));
  });
}

function isDeath(error: unknown): boolean {
  return error instanceof Error && error.message === DIED;
}

function failures(messages: readonly AgentMessage[]): string[] {
  return messages.flatMap((message) =>
    message.role === "assistant" && message.stopReason === "error" ? [message.errorMessage ?? ""] : [],
  );
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.message}`.slice(0, 400) : String(error);
}
