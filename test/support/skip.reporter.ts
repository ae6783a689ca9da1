/**
 * A vitest reporter that prints why tests were skipped, once for each reason. The run fails if a test is skipped without a
 * reason, unless the command chose tests by name.
 */
import type { Reporter, TestCase, TestModule, Vitest } from "vitest/node";

export default class SkipReporter implements Reporter {
  #selectsByName = false;

  onInit({ config }: Vitest): void {
    this.#selectsByName = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>();
    const unexplained: string[] = [];
    for (const test of modules.flatMap((module) => [...module.children.allTests("skipped")])) {
      const reason = reasonOf(test);
      if (reason) counts.set(reason, (counts.get(reason) ?? 0) + 1);
      else unexplained.push(`${test.module.relativeModuleId} > ${test.fullName}`);
    }
    for (const [reason, count] of counts) process.stdout.write(` skipped ${count}: ${reason}\n`);
    // Those that a name leaves out are reported as skipped, too.
    if (this.#selectsByName || unexplained.length === 0) return;
    process.stderr.write(`These tests are skipped and do not say why, see CONTRIBUTING.md:\n`);
    for (const name of unexplained) process.stderr.write(`  ${name}\n`);
    process.exitCode = 1;
  }
}

/** The note of `context.skip(note)`, or the reason in the title. */
function reasonOf(test: TestCase): string | undefined {
  const result = test.result();
  const note = result.state === "skipped" ? result.note : undefined;
  return note ?? /\(skipped: (.*?)\)( >|$)/.exec(test.fullName)?.[1];
}
