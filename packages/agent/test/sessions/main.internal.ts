/** Prints what random sessions cost, and why: `npm run sessions`, or with a number of sessions behind `--`. */
import { playSessions, type SessionTotals } from "./play-session.internal.js";
import { SESSION_ROWS } from "./rows.js";

const [words = "1000"] = process.argv.slice(2);
if (!(Number(words) > 0)) {
  console.log(
    "npm run sessions -- 1000: prints what 1,000 random sessions of agents cost, in relation to an ideal cache",
  );
  process.exit(0);
}
const sessions = Math.ceil(Number(words) / SESSION_ROWS.length);
const played: SessionTotals[] = [];
console.log("model | sessions | requests | summaries | refused | dead | price/ideal | first writes in the ideal");
for (const row of SESSION_ROWS) {
  const totals = await playSessions(row, { sessions, requests: 100, seed: 1, causes: true });
  played.push(totals);
  console.log(
    [
      row.name,
      totals.sessions,
      totals.requests,
      totals.summaries,
      totals.refused.length,
      totals.dead,
      (totals.price / totals.ideal).toFixed(3),
      (totals.firstWrites / totals.ideal).toFixed(2),
    ].join(" | "),
  );
  for (const refused of new Set(totals.refused)) console.log(`  ${refused}`);
  if (totals.refused.length > 0 || totals.dead > 0) process.exitCode = 1;
}
printTable("by the rule of the cache that costs it, or by the change of the beginning", ({ causes = {} }) => causes);
printTable("the same by the change before the request", ({ extra }) => extra);

/** Shares of the ideal: a row for each cause, the dearest first, and a column for each model. */
function printTable(title: string, read: (totals: SessionTotals) => Record<string, number>): void {
  const shareOf = (totals: SessionTotals, name: string): number => (read(totals)[name] ?? 0) / totals.ideal;
  const sumOf = (name: string): number => played.reduce((sum, totals) => sum + shareOf(totals, name), 0);
  const names = [...new Set(played.flatMap((totals) => Object.keys(read(totals))))];
  console.log(`\n${[title, ...SESSION_ROWS.map(({ name }) => name)].join(" | ")}`);
  for (const name of names.sort((one, other) => sumOf(other) - sumOf(one))) {
    const shares = played.map((totals) => shareOf(totals, name).toFixed(3));
    if (shares.some((share) => !/^-?0\.000$/.test(share))) console.log([name, ...shares].join(" | "));
  }
}
