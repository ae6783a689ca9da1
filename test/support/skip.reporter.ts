/** A vitest reporter that prints why tests were skipped, once for each reason. */
import type { Reporter, TestCase, TestModule } from "vitest/node";

export default class SkipReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>();
    for (const test of modules.flatMap((module) => [...module.children.allTests("skipped")])) {
      const reason = reasonOf(test);
      counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }
    for (const [reason, count] of counts) process.stdout.write(` skipped ${count}: ${reason}\n`);
  }
}

/** The note of `context.skip(note)`, or the reason in the title. */
function reasonOf(test: TestCase): string {
  const result = test.result();
  const note = result.state === "skipped" ? result.note : undefined;
  return note ?? /\(skipped: (.*?)\)( >|$)/.exec(test.fullName)?.[1] ?? `no reason is given by ${test.fullName}`;
}
