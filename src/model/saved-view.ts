/** Tags, or metrics, of one part of a saved view. */
export const partNamesMax = 20
