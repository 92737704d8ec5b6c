import type { Ingest } from '../model/ingest.ts'

/** A row of an entry: its index, and the place in the body where it begins. */
export interface RowOfEntry {
  readonly index: number
  readonly at: number
  /** If each field of a line is a row: the index of the field in the line that begins at `at`; default 0. */
  readonly field?: number
}

/** The first row of any entry. */
export const firstRow: RowOfEntry = { index: 0, at: 0 }

/** How far a run of entries was validated: the number of whole entries, and the rows before `place` of the next one. */
export interface Reached {
  readonly entries: number
  readonly place: RowOfEntry
}

/** The remaining budget of a validation step, counted down row by row, so that a step is bounded whatever the body contains. */
export interface StepBudget {
  rows: number
  bytes: number
  /** Rejected rows are kept in one transaction, and each takes far longer than a good one. */
  rejected: number
}

/** The most rejected rows of a step: a transaction of a few milliseconds. */
const rejectedMax = 1024

export function newBudget(rows: number, bytes: number): StepBudget {
  return { rows, bytes, rejected: rejectedMax }
}

/** A row costs 1 per this many fields of its ingest: columns have an element for each field, however few are pushed. */
const fieldsOfOne = 32

/** The cost of an ingest's row in the rows of a budget. */
export function rowCost({ fields }: Pick<Ingest, 'fields'>): number {
  return Math.ceil(fields.length / fieldsOfOne)
}

export function unbounded(): StepBudget {
  return { rows: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY, rejected: Number.POSITIVE_INFINITY }
}

export function isSpent({ rows, bytes, rejected }: StepBudget): boolean {
  return rows <= 0 || bytes <= 0 || rejected <= 0
}
