import type { Reader } from '../admission/reader.ts'
import type { Cancellation } from '../lib/cancellation.ts'

/** The caller of a request, and the cancellation of its work. */
export interface I3xCaller {
  readonly reader: Reader
  readonly cancellation: Cancellation
}
