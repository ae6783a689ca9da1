/**
 * Publishes the events of runs, and keeps them, so that a client that has lost its connection misses nothing: in memory.
 *
 * @module pi-agent/event-store
 */

export { runsOf, stopRun, whenStopped } from "pi-ai/call";
export type { EventStore } from "pi-ai/proxy-server";
export { type ClosableEventStore, EventStoreError } from "./event-store.js";
export { createMemoryEventStore, type EventStoreOptions } from "./memory-event-store.js";
export { type PublishOptions, publish } from "./publish.js";
export type { RunEvent } from "./run-event.js";
