// Errors in the format that clients of InfluxDB expect, for InfluxDB's own paths.
import type { Problem } from '../model/problem.ts'

export interface LineErrorBody {
  readonly code: string
  readonly message: string
}

export function lineErrorBody({ code, message }: Problem): LineErrorBody {
  return { code, message }
}

/** For paths with statements: clients of InfluxDB 1 display only its text `error`. */
export function statementErrorBody({ code, message }: Problem): { readonly error: string; readonly code: string } {
  return { error: message, code }
}

/** Clients make their batches smaller when they receive this status. */
const tooLarge = 413

export function lineStatus({ code, status }: Pick<Problem, 'code' | 'status'>): number {
  return code === 'body_too_large' ? tooLarge : status
}
