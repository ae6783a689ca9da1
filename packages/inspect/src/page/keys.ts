/** Keyboard shortcuts that work anywhere on the page. */

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
