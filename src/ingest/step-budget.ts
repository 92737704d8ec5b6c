import type { Ingest } from '../model/ingest.ts'

/** A row of an entry: which one it is, and where it begins in the body. */
export interface RowOfEntry {
  readonly index: number
  readonly at: number
  /** Where each field of a line is a row: which of the fields of the line that begins there; the first where it is left out. */
  readonly field?: number
}

/** Where every entry begins. */
export const firstRow: RowOfEntry = { index: 0, at: 0 }

/** How far a run of entries was validated: so many of them whole, and of the next one the rows before `place`. */
export interface Reached {
  readonly entries: number
  readonly place: RowOfEntry
}

/** What one step of validation may still take; counted down row by row, so that a step takes no more whatever is in a body. */
export interface StepBudget {
  rows: number
  bytes: number
  /** Rejected rows are kept in one transaction, and each takes far more time than a good one. */
  rejected: number
}

/** Rejected rows of a step: a transaction of a few milliseconds. */
const rejectedMax = 1024

export function newBudget(rows: number, bytes: number): StepBudget {
  return { rows, bytes, rejected: rejectedMax }
}

/** A row of as many fields counts for one: its columns have a place for each field, however few are pushed. */
const fieldsOfOne = 32

/** What a row of an ingest takes of the rows of a budget. */
export function rowCost({ fields }: Pick<Ingest, 'fields'>): number {
  return Math.ceil(fields.length / fieldsOfOne)
}

export function unbounded(): StepBudget {
  return { rows: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY, rejected: Number.POSITIVE_INFINITY }
}

export function isSpent({ rows, bytes, rejected }: StepBudget): boolean {
  return rows <= 0 || bytes <= 0 || rejected <= 0
}
