/** `AbortSignal.any`, also for runtimes without it (Next's edge runtime, 2026-11). */

/** A signal that aborts with the first of these, for the same reason. */
export function anySignal(signals: AbortSignal[]): AbortSignal {
  if ("any" in AbortSignal) return AbortSignal.any(signals);
  const controller = new AbortController();
  for (const source of signals) {
    const abort = (): void => controller.abort(source.reason);
    if (source.aborted) abort();
    source.addEventListener("abort", abort, { signal: controller.signal });
  }
  return controller.signal;
}
