/** A worker of OpenWorkflow, as a process: `worker-openworkflow.ts DATABASE LEDGER begin|continue`. */
import { loadEngine } from "../../../../../examples/durable/engines/install-engines.js";
import { runStormAgent } from "./storm-agent.js";

interface Step {
  run<TValue>(options: { name: string }, work: () => Promise<TValue>): Promise<TValue>;
}

interface OpenWorkflowModule {
  OpenWorkflow: new (options: {
    backend: unknown;
  }) => {
    defineWorkflow(
      options: { name: string },
      work: (run: { input: { id: string }; step: Step }) => Promise<unknown>,
    ): { run(input: { id: string }): Promise<unknown> };
    newWorker(options: { concurrency: number }): { start(): Promise<void> };
  };
}

const [, , database = "", ledger = "", word] = process.argv;
const { OpenWorkflow } = await loadEngine<OpenWorkflowModule>("openworkflow");
const { BackendSqlite } = await loadEngine<{ BackendSqlite: { connect(path: string): unknown } }>(
  "openworkflow/sqlite",
);
const flow = new OpenWorkflow({ backend: BackendSqlite.connect(database) });
const book = flow.defineWorkflow({ name: "book" }, ({ input, step }) =>
  runStormAgent(
    {
      runId: input.id,
      run: (name, work) => step.run({ name }, work),
      // The recipe has no signals, so the test approves at once. It has the shape of an answer.
      waitFor: async <TValue>() => ({ approved: true }) as TValue,
    },
    ledger,
  ),
);
await flow.newWorker({ concurrency: 1 }).start();
if (word === "begin") await book.run({ id: "run-1" });
