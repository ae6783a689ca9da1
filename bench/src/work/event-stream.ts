/** A million events through the queue, with a reader that waits or one that comes later. */
import { EventStream } from "pi-ai";
import { cpuTime, type Work } from "./measured.ts";

interface Tick {
  index: number;
  last: boolean;
}

interface Queue extends AsyncIterable<Tick> {
  push(tick: Tick): void;
}

export const run: Work = async (side, { size = 0, variant }) => {
  const create = (): Queue =>
    side === "floor"
      ? createFloorQueue()
      : new EventStream<Tick, number>(
          (tick) => tick.last,
          (tick) => tick.index,
        );
  const once = variant === "waiting" ? () => readWhilePushed(create(), size) : () => readAfterPushed(create(), size);
  await once();
  return cpuTime(once);
};

async function readWhilePushed(queue: Queue, size: number): Promise<void> {
  const reading = consume(queue);
  for (let index = 0; index < size; index++) {
    queue.push({ index, last: index === size - 1 });
    await undefined;
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
  if (sum === 0) throw new Error("nothing came");
}

/** The least that a queue can do: an array with a head, and one waiting reader. */
function createFloorQueue(): Queue {
  const items: Tick[] = [];
  let head = 0;
  let waiting: ((result: IteratorResult<Tick, undefined>) => void) | undefined;
  let over = false;
  const next = (): Promise<IteratorResult<Tick, undefined>> => {
    const item = items[head];
    if (item) {
      head++;
      over = item.last;
      return Promise.resolve({ value: item, done: false });
    }
    if (over) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => {
      waiting = resolve;
    });
  };
  return {
    push: (tick) => {
      if (!waiting) {
        items.push(tick);
        return;
      }
      const resolve = waiting;
      waiting = undefined;
      over = tick.last;
      resolve({ value: tick, done: false });
    },
    [Symbol.asyncIterator]: () => ({ next }),
  };
}
