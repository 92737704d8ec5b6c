import type { Reader } from '../../src/query/reader.ts'

/** A reader who may read all. */
export const everyone: Reader = { id: 'everyone', mayRead: () => true }
