/**
 * Unix milliseconds by the clock of the process: when the time of the system is set, this one does not follow. Durable runs
 * and others may share a budget, so both measure by it.
 */
export function steadyTime(): number {
  return Math.round(performance.timeOrigin + performance.now());
}
