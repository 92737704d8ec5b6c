import type { Reader } from '../../src/admission/reader.ts'

/** A reader with access to everything. */
export const everyone: Reader = { id: 'everyone', mayRead: () => true }
