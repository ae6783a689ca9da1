/** In place of a package that was never published: no formats. */
export const formats = {};
