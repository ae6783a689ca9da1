/**
 * Selects the suite. `npm test` is the quick one; `npm run test:all` sets PI_TEST_SUITE to run everything: every
 * `*.full.test.ts`, and every budget at its full size. Only this file reads the variable.
 */

// biome-ignore lint/style/noProcessEnv: the command that starts the runner chooses the suite.
export const isFullSuite: boolean = process.env["PI_TEST_SUITE"] === "all";

/** The size of a test: the number of seeds, rounds or points that it tries. */
export function budget(sizes: { quick: number; all: number }): number {
  return isFullSuite ? sizes.all : sizes.quick;
}

/** Every item in the full suite; in the quick suite every `step`th, starting with the first. */
export function sample<T>(items: readonly T[], step: number): T[] {
  return isFullSuite ? [...items] : items.filter((_, index) => index % step === 0);
}

/** How many processes a storm kills. */
// biome-ignore lint/style/noProcessEnv: as above.
export const stormKills: number = Number(process.env["PI_STORM_KILLS"] ?? 12);

/** The seed of the first conversation of a storm of sessions. */
// biome-ignore lint/style/noProcessEnv: as above.
export const stormSeed: number = Number(process.env["PI_STORM_SEED"] ?? 61_000);
