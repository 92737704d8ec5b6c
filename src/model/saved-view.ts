/** Maximum number of tags or metrics in one part of a saved view. */
export const partNamesMax = 20
