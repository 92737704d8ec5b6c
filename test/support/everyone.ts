import type { Reader } from '../../src/admission/reader.ts'

/** A reader who may read all. */
export const everyone: Reader = { id: 'everyone', mayRead: () => true }
