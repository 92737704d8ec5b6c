// The result of a data check.
import { messageOf } from './message-of.ts'

export interface Finding {
  /** The checked part of the folder, or a file in it. */
  readonly part: string
  readonly isDamaged: boolean
  /** Not checked, because the data to compare it with is damaged. */
  readonly isSkipped?: boolean
  /** A sentence without its full stop. */
  readonly found: string
}

/** Checks a part: intact, with the text that `check` returns, or damaged, with the message of the error that it throws. */
export async function examine(part: string, check: () => Promise<string>): Promise<Finding> {
  try {
    return { part, isDamaged: false, found: await check() }
  } catch (error) {
    return { part, isDamaged: true, found: messageOf(error) }
  }
}
