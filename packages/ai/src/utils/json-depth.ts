/** How deep a value is nested. */

/**
 * Whether arrays and objects stand in one another more than `maxDepth` levels deep. Does not recurse, looks no deeper
 * than it must, and visits an object that appears twice on one level once, so cycles end too.
 */
export function isDeeperThan(value: unknown, maxDepth: number): boolean {
  let level = new Set<object>();
  addContainer(level, value);
  for (let depth = 1; level.size > 0; depth++) {
    if (depth > maxDepth) return true;
    const next = new Set<object>();
    for (const container of level) {
      for (const child of Object.values(container)) addContainer(next, child);
    }
    level = next;
  }
  return false;
}

function addContainer(containers: Set<object>, value: unknown): void {
  if (typeof value === "object" && value !== null) containers.add(value);
}
