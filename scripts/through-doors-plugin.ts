/**
 * Lets a bundle take what it imports by a folder's `index.ts` from the files that hold it. Otherwise what one entry needs of a
 * folder would be loaded by each entry that needs anything of it.
 */
import type { Plugin } from "rolldown";
import { passDoors } from "./imports.ts";

export const throughDoors: Plugin = {
  name: "through-doors",
  transform: (code, file) => {
    if (!/[\\/]packages[\\/]\w+[\\/]src[\\/]/.test(file)) return undefined;
    // Lines stay where they are, so the map holds.
    return { code: passDoors(code, file), map: null };
  },
};
