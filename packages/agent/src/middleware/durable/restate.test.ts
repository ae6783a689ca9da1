import { type RestateContext, type RestatePromiseLike, type RestateSdk, restateSteps } from "pi-agent/durable/restate";
import { expect, test } from "vitest";

/** A promise of a Restate that allows one wait at a time. */
class FakePromise<TValue> implements RestatePromiseLike<TValue> {
  readonly #inner: Promise<TValue>;

  constructor(inner: Promise<TValue>) {
    this.#inner = inner;
    inner.catch(() => {});
  }

  // biome-ignore lint/suspicious/noThenProperty: Restate's promises are thenables.
  get then(): Promise<TValue>["then"] {
    throw new Error("Only RestatePromise.race may be awaited");
  }

  map<TResult>(mapper: (value?: TValue, failure?: Error) => TResult): FakePromise<TResult> {
    return new FakePromise(
      this.#inner.then(
        (value) => mapper(value),
        (error: Error) => mapper(undefined, error),
      ),
    );
  }

  get inner(): Promise<TValue> {
    return this.#inner;
  }
}

function fakeSdk(): { sdk: RestateSdk; waits: number[] } {
  const waits: number[] = [];
  let waiting = false;
  const race = async (promises: readonly RestatePromiseLike<unknown>[]): Promise<unknown> => {
    if (waiting) throw new Error("Restate allows one wait at a time");
    waiting = true;
    waits.push(promises.length);
    const inner = promises.map((promise) => (promise instanceof FakePromise ? promise.inner : undefined));
    return Promise.race(inner).finally(() => {
      waiting = false;
    });
  };
  return { sdk: { RestatePromise: { race } }, waits };
}

function fakeContext(more: Partial<RestateContext> = {}): RestateContext {
  return {
    key: "order-17",
    request: () => ({ id: "inv_1" }),
    run: <TValue>(_name: string, action: () => Promise<TValue>) => new FakePromise(action()),
    ...more,
  };
}

test("waits for several steps at once with one wait of Restate", async () => {
  const { sdk, waits } = fakeSdk();
  const steps = restateSteps(sdk, fakeContext());
  const slow = Promise.withResolvers<string>();
  const ends: string[] = [];
  const note = async (name: string, work: () => Promise<string>) => ends.push(await steps.run(name, work));
  const all = [
    note("step 1", () => slow.promise),
    note("step 2", async () => "second"),
    note("step 3", async () => "third"),
  ];
  await all[2];
  expect(ends).toEqual(["second", "third"]);
  slow.resolve("first");
  await Promise.all(all);
  expect(ends).toEqual(["second", "third", "first"]);
  expect(waits).toEqual([3, 2, 1]);
  expect(await steps.run("step 4", async () => 4)).toBe(4);
});

test("rejects the step whose promise fails, and no other", async () => {
  const { sdk } = fakeSdk();
  const steps = restateSteps(sdk, fakeContext());
  const cancelled = new Error("Cancelled");
  const failing = steps.run("step 1", () => Promise.reject(cancelled));
  const sound = steps.run("step 2", async () => 2);
  await expect(failing).rejects.toBe(cancelled);
  expect(await sound).toBe(2);
});

test("rejects all waits when Restate itself fails", async () => {
  const broken = new Error("the journal is closed");
  const sdk: RestateSdk = { RestatePromise: { race: () => Promise.reject(broken) } };
  const steps = restateSteps(sdk, fakeContext());
  const results = await Promise.allSettled([steps.run("step 1", async () => 1), steps.run("step 2", async () => 2)]);
  expect(results).toEqual([
    { status: "rejected", reason: broken },
    { status: "rejected", reason: broken },
  ]);
});

test("uses the key of a workflow, or the id of the invocation, as the run id", () => {
  const { sdk } = fakeSdk();
  expect(restateSteps(sdk, fakeContext()).runId).toBe("order-17");
  const { key: _key, ...service } = fakeContext();
  expect(restateSteps(sdk, service).runId).toBe("inv_1");
});

test("waits for the promise of a workflow; a plain service cannot wait", async () => {
  const { sdk } = fakeSdk();
  const promise = (name: string) => ({ get: () => new FakePromise<unknown>(Promise.resolve(`answer to ${name}`)) });
  expect(await restateSteps(sdk, fakeContext({ promise })).waitFor?.("approval:4.1")).toBe("answer to approval:4.1");
  expect(restateSteps(sdk, fakeContext()).waitFor).toBeUndefined();
});
