/** Subscribes to the requests that `pi-ai` publishes. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { type Fields, fieldsOf } from "../record/fields.js";

/** What happened to a request. */
export type RequestStage = "start" | "update" | "end";

/** Called with a request each time that it changes. It is the same object each time. */
export type RequestListener = (request: Fields, stage: RequestStage) => void;

/** @returns a function that stops listening */
export function watchRequests(onChange: RequestListener): () => void {
  const stages: readonly RequestStage[] = ["start", "update", "end"];
  const listeners = stages.map((stage): [string, (request: unknown) => void] => {
    return [`pi.request.${stage}`, (request) => onChange(fieldsOf(request), stage)];
  });
  for (const [name, listener] of listeners) subscribe(name, listener);
  return () => {
    for (const [name, listener] of listeners) unsubscribe(name, listener);
  };
}
