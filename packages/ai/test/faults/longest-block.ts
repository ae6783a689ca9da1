/** Measures how long the event loop stood still. */

export async function longestBlock<T>(work: () => Promise<T>): Promise<{ result: T; blockedMs: number }> {
  let last = performance.now();
  let blockedMs = 0;
  const look = (): void => {
    const now = performance.now();
    blockedMs = Math.max(blockedMs, now - last);
    last = now;
  };
  const timer = setInterval(look, 5);
  try {
    return { result: await work(), blockedMs };
  } finally {
    look();
    clearInterval(timer);
  }
}
