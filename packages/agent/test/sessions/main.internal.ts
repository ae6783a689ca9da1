/** Prints what random sessions cost: `npm run sessions`, or with a number of sessions behind `--`. */
import { playSessions } from "./play-session.internal.js";
import { SESSION_ROWS } from "./rows.js";

const [words = "1000"] = process.argv.slice(2);
if (!(Number(words) > 0)) {
  console.log(
    "npm run sessions -- 1000: prints what 1,000 random sessions of agents cost, in relation to an ideal cache",
  );
  process.exit(0);
}
const sessions = Math.ceil(Number(words) / SESSION_ROWS.length);
console.log(
  "model | sessions | requests | summaries | refused | dead | price/ideal | of it, by the change before | by the rule",
);
for (const row of SESSION_ROWS) {
  const totals = await playSessions(row, { sessions, requests: 100, seed: 1, causes: true });
  const shares = (dollars: Record<string, number>): string =>
    Object.entries(dollars)
      .map(([name, extra]): [string, number] => [name, extra / totals.ideal])
      .filter(([, share]) => share >= 0.0005)
      .sort(([, one], [, other]) => other - one)
      .map(([name, share]) => `${name} ${share.toFixed(3)}`)
      .join(", ");
  const ratio = (totals.price / totals.ideal).toFixed(2);
  console.log(
    [
      row.name,
      totals.sessions,
      totals.requests,
      totals.summaries,
      totals.refused.length,
      totals.dead,
      ratio,
      shares(totals.extra),
      shares(totals.causes ?? {}),
    ].join(" | "),
  );
  for (const refused of new Set(totals.refused)) console.log(`  ${refused}`);
  if (totals.refused.length > 0 || totals.dead > 0) process.exitCode = 1;
}
