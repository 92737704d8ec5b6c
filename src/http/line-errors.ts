// Errors as clients of InfluxDB read them, for the paths that are InfluxDB's own.
import type { Problem } from '../model/problem.ts'

export interface LineErrorBody {
  readonly code: string
  readonly message: string
}

export function lineErrorBody({ code, message }: Problem): LineErrorBody {
  return { code, message }
}

/** Where statements are taken: clients of InfluxDB 1 show its one text. */
export function statementErrorBody({ code, message }: Problem): { readonly error: string; readonly code: string } {
  return { error: message, code }
}

/** A client makes its batches smaller when it reads this status. */
const tooLarge = 413

export function lineStatus({ code, status }: Pick<Problem, 'code' | 'status'>): number {
  return code === 'body_too_large' ? tooLarge : status
}
