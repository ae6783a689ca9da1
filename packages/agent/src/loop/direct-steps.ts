/** The steps of a run that nothing stores: each is done at once. */
import type { RunSteps } from "../types/run-steps.js";

/** The ids of steps are unique in the process, so in each run. */
let count = 0;

export const directSteps: RunSteps = {
  failure: undefined,
  isReplaying: false,
  stores: false,
  isStoring: false,
  begin: (prompts) => prompts,
  poll: (_queue, take) => take(),
  respond: async (work) => {
    await work.addNote();
    return work.request();
  },
  decide: (_name, call) => call(),
  step: (_name, work) => work(String(++count)),
  keyOf: ({ id }) => id,
  runTools: (_calls, work) => work(),
  runTool: (_call, perform) => perform(undefined),
  catchUp: () => {},
};
