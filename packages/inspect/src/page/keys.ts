/** Keyboard shortcuts that work anywhere on the page, and the dialog that lists them. */
import { button, element } from "./element.js";

/**
 * Calls the action of a key when it is pressed. While a field has the focus, only Escape works: it leaves the field.
 * While a dialog is open, no shortcut works.
 *
 * @param leave called for Escape in a field, instead of the action of Escape
 */
export function listenToKeys(actions: Readonly<Record<string, () => void>>, leave: () => void): void {
  addEventListener("keydown", (event) => {
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
    if (!action || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const { target } = event;
    const isWriting = target instanceof HTMLElement && target.matches("input, textarea, select");
    if (isWriting && event.key !== "Escape") return;
    // By default, "/" would be typed into the search field that it focuses, and Escape would clear the field it leaves.
    if (event.key.length === 1 || isWriting) event.preventDefault();
    if (isWriting) leave();
    else action();
  });
}

const KEYS: readonly [keys: string[], meaning: string][] = [
  [["↓", "↑", "j", "k"], "Next and previous row"],
  [["Home", "End"], "First and last row"],
  [["PageDown", "PageUp"], "Next and previous page of rows"],
  [["Enter"], "Go to the next part: runs, timeline, details"],
  [["Escape"], "Go back"],
  [["/"], "Search in the run"],
  [["f"], "Fork the run at the selected row"],
  [["c"], "Compare the run with another one"],
  [["g"], "Charts"],
  [["t"], "Copy the run as a test"],
  [["?"], "This list"],
];

/** Open it with `showModal`: then the browser keeps the focus inside, and closes the dialog on Escape. */
export function helpView(): HTMLDialogElement {
  const rows = KEYS.map(([keys, meaning]) =>
    element("tr", {}, element("th", {}, ...keys.map((key) => element("kbd", {}, key))), element("td", {}, meaning)),
  );
  const dialog = element(
    "dialog",
    { attributes: { "aria-label": "Keys" } },
    element("h2", {}, "Keys"),
    element("table", {}, ...rows),
    button("Close", () => dialog.close()),
  );
  // A click on the backdrop has the dialog itself as its target.
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}
