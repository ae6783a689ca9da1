/** The form for a tool call that waits for its result: the user types the result, or lets the program run the tool. */
import type { AwaitedResult } from "../record/entry.js";
import { button, check, element, field, keepForm, textArea } from "./element.js";

interface AwaitViewOptions {
  /** The id of the run. */
  run: string;
  tool: string;
  awaits: AwaitedResult;
  /** Sends the result. Resolves with the reason if the server refuses it, else with undefined. */
  onResult: (body: unknown) => Promise<string | undefined>;
}

export function awaitView({ run, tool, awaits, onResult }: AwaitViewOptions): HTMLElement {
  const { call, canRun, recorded } = awaits;
  const text = textArea(recorded ?? "", "What the tool would return");
  const failed = check("The tool failed");
  const problem = element("p", { class: "problem", hidden: true, attributes: { role: "alert" } });
  const send = async (body: object): Promise<void> => {
    const error = await onResult({ call, ...body });
    if (error === undefined) forget();
    problem.textContent = error ?? "";
    problem.hidden = error === undefined;
  };
  const use = button(
    "Use this result",
    () => void send({ text: text.value, isError: failed.input.checked }),
    "primary",
  );
  const question = confirmation(tool, () => void send({ run: true, confirmed: true }));
  const ask = button("Run the tool …", () => {
    question.hidden = false;
    question.querySelector("button")?.focus();
  });
  const form = element(
    "section",
    { class: "awaits", attributes: { "aria-label": "waiting for a result" } },
    element("p", {}, "This call waits for a result. ", whyOf(recorded)),
    field("Result", text),
    failed.element,
    problem,
    element("div", { class: "actions" }, use, canRun && ask),
    canRun && question,
  );
  const forget = keepForm(form, `result ${run} ${call}`);
  return form;
}

function whyOf(recorded: string | undefined): string {
  if (recorded !== undefined) return "Below is the result of the original run.";
  return "The original run has none for these arguments.";
}

/** The user must confirm before a tool runs, because it can delete files, spend money or send messages. */
function confirmation(tool: string, onConfirm: () => void): HTMLElement {
  const text = `${tool} will run in the program with the arguments below. Its effects are real.`;
  const made = element("div", {
    class: "confirm",
    hidden: true,
    attributes: { role: "alertdialog", "aria-label": text },
  });
  const cancel = button("Do not run it", () => {
    made.hidden = true;
  });
  made.append(
    element("p", {}, text),
    element("div", { class: "actions" }, cancel, button("Run it now", onConfirm, "danger")),
  );
  return made;
}
