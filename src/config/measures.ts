export const mebibyte = 1024 * 1024
export const gibibyte = 1024 * mebibyte
/** Timers hold no more. */
export const longestMs = 2_147_483_647
