/** A million events through the queue, with a waiting reader or a late one. */
import type { Queue } from "../clients/client.ts";
import { offered } from "../not-offered.ts";
import { measureCost, type Work } from "./measured.ts";

export const run: Work = async ({ client, input: { size = 0, variant } }) => {
  const createQueue = offered(client.createQueue);
  const pass = variant === "waiting" ? readWhilePushed : readAfterPushed;
  return measureCost(async () => pass(await createQueue(), size));
};

/** Microtasks that a reader may use between an event and its wait for the next. */
const STEPS = 3;

async function readWhilePushed(queue: Queue, size: number): Promise<void> {
  const reading = consume(queue);
  for (let index = 0; index < size; index++) {
    queue.push({ index, last: index === size - 1 });
    for (let step = 0; step < STEPS; step++) await undefined;
  }
  await reading;
}

async function readAfterPushed(queue: Queue, size: number): Promise<void> {
  for (let index = 0; index < size; index++) queue.push({ index, last: index === size - 1 });
  await consume(queue);
}

async function consume(queue: Queue): Promise<void> {
  let sum = 0;
  for await (const tick of queue) sum += tick.index;
  if (sum === 0) throw new Error("no events were received");
}
