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
  await Promise.all(Array.from({ length: Math.min(list.length, limit) }, takeAll));
  return values;
}
