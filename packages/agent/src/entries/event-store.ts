/**
 * Keeps the events of runs, so that a client that has lost its connection misses nothing: in memory.
 *
 * @module pi-agent/event-store
 */

export type { EventStore } from "pi-ai/proxy-server";
export { type ClosableEventStore, EventStoreError } from "../event-store/event-store.js";
export { createMemoryEventStore, type EventStoreOptions } from "../event-store/memory-event-store.js";
export { stopRun, whenStopped } from "../event-store/stop-run.js";
