// Errors as clients of InfluxDB read them, for the paths that are InfluxDB's own.
import type { Problem } from '../model/problem.ts'

export interface LineErrorBody {
  readonly code: string
  readonly message: string
}

export function lineErrorBody({ code, message }: Problem): LineErrorBody {
  return { code, message }
}

/** A client makes its batches smaller when it reads this status. */
const tooLarge = 413

export function lineStatus({ code, status }: Pick<Problem, 'code' | 'status'>): number {
  return code === 'body_too_large' ? tooLarge : status
}
