import type { Reader } from '../admission/reader.ts'
import type { Cancellation } from '../lib/cancellation.ts'

/** Who asks, and what ends the work for him. */
export interface I3xCaller {
  readonly reader: Reader
  readonly cancellation: Cancellation
}
