/** The form in which the user changes a request of a run and runs it again as a fork. */
import type { DraftInput, ForkDraft } from "../fork/fork-draft.js";
import type { ModelName } from "../record/launcher.js";
import { button, check, element, field, keepForm, select, textArea } from "./element.js";

const LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

export interface ForkViewOptions {
  /** The id of the run. */
  run: string;
  draft: ForkDraft;
  /** Starts the fork. Resolves with the reason if the server refuses the changes, else with undefined. */
  onRun: (changes: unknown) => Promise<string | undefined>;
  onCancel: () => void;
}

export function forkView({ run: id, draft, onRun, onCancel }: ForkViewOptions): HTMLElement {
  const model = modelField(draft);
  const thinking = select(LEVELS, draft.thinking);
  const system = textArea(draft.system, "none");
  const inputs = draft.inputs.map(inputField);
  const tools = textArea(draft.tools);
  const step = check("Stop at every tool call, even if its result was recorded");
  const problem = element("p", { class: "problem", hidden: true, attributes: { role: "alert" } });
  const run = button("Run again", () => void submit(), "primary");
  const submit = async (): Promise<void> => {
    if (run.disabled) return;
    run.disabled = true;
    const changes = { model: model.read(), thinking: thinking.value, system: system.value, tools: tools.value };
    const error = await onRun({
      ...changes,
      entry: draft.entry,
      step: step.input.checked,
      inputs: inputs.map(({ read }) => read()),
    });
    run.disabled = false;
    if (error === undefined) forget();
    problem.textContent = error ?? "";
    problem.hidden = error === undefined;
  };
  const cancel = (): void => {
    forget();
    onCancel();
  };
  const form = element(
    "form",
    { class: "form" },
    element("h2", {}, "Fork and run again"),
    element("p", { class: "facts" }, introduction(draft)),
    draft.toolsAreDerived &&
      element(
        "p",
        { class: "hint" },
        "The log has no system prompt and no tools. The tools below were derived from the calls. Enter what the application sends.",
      ),
    element("div", { class: "pair" }, field("Model", model.element), field("Thinking", thinking)),
    field("System prompt", system),
    ...inputs.map((input) => input.element),
    element("details", {}, element("summary", {}, "Tools, as JSON"), field("Tools", tools, true)),
    step.element,
    problem,
    element("div", { class: "actions" }, run, button("Cancel", cancel)),
  );
  const forget = keepForm(form, `fork ${id} ${draft.entry}`);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void submit();
  });
  return form;
}

function introduction({ kept, pending, target }: ForkDraft): string {
  const before =
    kept === 0
      ? "The conversation begins here."
      : `${kept} earlier ${kept === 1 ? "message stays" : "messages stay"} unchanged.`;
  const open = pending.length === 0 ? "" : ` These tool calls have no result and will wait: ${pending.join(", ")}.`;
  return `${before}${open} Requests go ${target}.`;
}

interface InputField {
  element: HTMLElement;
  read: () => { message: number; text: string; isError: boolean };
}

function inputField({ message, role, name, text, isError, otherBlocks }: DraftInput): InputField {
  const area = textArea(text);
  const label = role === "toolResult" ? `Result of ${name}` : `Message of ${role}`;
  const failed = check("The tool failed");
  failed.input.checked = isError === true;
  const others = `${otherBlocks} other ${otherBlocks === 1 ? "block stays" : "blocks stay"}, such as an image.`;
  return {
    element: element(
      "div",
      { class: "input" },
      field(label, area),
      isError !== undefined && failed.element,
      otherBlocks > 0 && element("p", { class: "facts" }, others),
    ),
    read: () => ({ message, text: area.value, isError: failed.input.checked }),
  };
}

/** A list of the models that the program offers, or a text field if the relay decides which models are allowed. */
function modelField({ model, models, anyModel }: ForkDraft): { element: HTMLElement; read: () => ModelName } {
  const nameOf = ({ provider, id }: ModelName): string => `${provider}/${id}`;
  if (!anyModel) {
    const list = select(models.map(nameOf), nameOf(model));
    return { element: list, read: () => models.find((one) => nameOf(one) === list.value) ?? model };
  }
  const input = element("input", { type: "text", value: nameOf(model), spellcheck: false });
  const read = (): ModelName => {
    const slash = input.value.indexOf("/");
    return { provider: input.value.slice(0, Math.max(0, slash)), id: input.value.slice(slash + 1) };
  };
  return { element: input, read };
}
