/** The form in which a run is changed and run again. */
import type { DraftInput, ForkDraft } from "../fork/fork-draft.js";
import type { ModelName } from "../record/launcher.js";
import { element } from "./element.js";
import { button, check, field, select, textArea } from "./form.js";
import { keepForm } from "./kept-form.js";

const LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

export interface ForkViewOptions {
  /** The id of the run. */
  run: string;
  draft: ForkDraft;
  /** Receives the draft with the changes; resolves with what is wrong with them. */
  onRun: (changes: unknown) => Promise<string | undefined>;
  onCancel: () => void;
}

export function forkView({ run: id, draft, onRun, onCancel }: ForkViewOptions): HTMLElement {
  const model = modelField(draft);
  const thinking = select(LEVELS, draft.thinking);
  const system = textArea(draft.system, "none");
  const inputs = draft.inputs.map(inputField);
  const tools = textArea(draft.tools);
  const step = check("Stop at every tool call, also where the recording has its result");
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
        "The file does not hold the system prompt and the tools. The tools below were derived from the calls. Write what the application sends.",
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
      : `${kept} earlier ${kept === 1 ? "message stays" : "messages stay"} as before.`;
  const open = pending.length === 0 ? "" : ` The calls without a result will wait for one: ${pending.join(", ")}.`;
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

/** A list where the program names the models, and a text with suggestions where the relay decides. */
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
