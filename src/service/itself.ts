import type { Reader } from '../admission/reader.ts'

/** It has a place among those who ask, as others do. */
export const itself: Reader = { id: 'the service itself', mayRead: () => true }
