export const mebibyte = 1024 * 1024
export const gibibyte = 1024 * mebibyte
/** The longest delay of a timer. */
export const longestMs = 2_147_483_647
