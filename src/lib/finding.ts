// What a check of data found.
import { messageOf } from './message-of.ts'

export interface Finding {
  /** What was checked: a part of the folder, or a file of it. */
  readonly part: string
  readonly isDamaged: boolean
  /** Not checked, for what it would be held against is damaged. */
  readonly isSkipped?: boolean
  /** A sentence without its end. */
  readonly found: string
}

/** A part that is as it was written, with what `check` says of it, or one that is damaged, with what it throws. */
export async function examine(part: string, check: () => Promise<string>): Promise<Finding> {
  try {
    return { part, isDamaged: false, found: await check() }
  } catch (error) {
    return { part, isDamaged: true, found: messageOf(error) }
  }
}
