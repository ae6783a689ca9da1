/**
 * Publishes the events of runs, and keeps them, so that a client that has lost its connection misses nothing: in memory.
 *
 * @module pi-agent/event-store
 */

export type { EventStore } from "pi-ai/proxy-server";
export { type ClosableEventStore, EventStoreError } from "../event-store/event-store.js";
export { createMemoryEventStore, type EventStoreOptions } from "../event-store/memory-event-store.js";
export { type PublishOptions, publish } from "../event-store/publish.js";
export type { RunEvent } from "../event-store/run-event.js";
export { stopRun, whenStopped } from "../event-store/stop-run.js";
