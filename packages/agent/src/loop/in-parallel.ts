/** Does work on each element of a list, in the order of the list, at most `limit` at a time. */
export async function inParallel<TElement, TValue>(
  list: readonly TElement[],
  limit: number,
  work: (element: TElement) => Promise<TValue>,
): Promise<TValue[]> {
  const values: TValue[] = [];
  // Each worker takes the next element.
  const waiting = list.entries();
  const takeAll = async (): Promise<void> => {
    for (const [index, element] of waiting) values[index] = await work(element);
  };
  // One that fails does not leave the others behind: what they do belongs to the same run.
  const ended = await Promise.allSettled(list.slice(0, limit).map(takeAll));
  for (const one of ended) if (one.status === "rejected") throw one.reason;
  return values;
}
