// What the engine takes for JSON and JSON is not: NaN, infinities, and commas behind which nothing comes.

/** Texts in quotes, whose contents mean nothing here. */
export const jsonTexts = String.raw`"(?:[^"\\]|\\.)*"`
/** What no JSON has outside its texts. */
export const notJson = String.raw`(?i)nan|inf|,\s*[\]}]`
