import type { RowError } from '../client/answers.ts'
import type { LinesOfRows } from './line-counts.ts'

/** A rejected row; `row` is its place in the whole input, from 1. For line protocol it is the place of its line. */
export interface ShownRejection extends Omit<RowError, 'index'> {
  readonly row: number
}

export interface RejectionTally {
  readonly code: string
  readonly field: string | null
  readonly rows: number
}

const kindsMax = 1000

/** Sums the faults in responses: the first of them in the input's order, and their number by code and field. */
export class Rejections {
  readonly #errorsMax: number
  #errors: ShownRejection[] = []
  readonly #kinds = new Map<string, RejectionTally>()

  constructor(errorsMax: number) {
    this.#errorsMax = errorsMax
  }

  get errors(): readonly ShownRejection[] {
    return this.#errors
  }

  /** Most rows first. */
  get kinds(): readonly RejectionTally[] {
    return [...this.#kinds.values()].sort((a, b) => b.rows - a.rows)
  }

  /** `firstRow` is the place of the row with index 0, or of the first line. */
  add(firstRow: number, errors: readonly RowError[], lines?: LinesOfRows): void {
    for (const { code, field } of errors) this.#count(code, field)
    const shown = errors.slice(0, this.#errorsMax).map(({ index, ...rest }) => {
      return { ...rest, row: firstRow + (lines?.lineOf(index) ?? index) }
    })
    if (shown.length === 0) return
    this.#errors = [...this.#errors, ...shown].sort((a, b) => a.row - b.row).slice(0, this.#errorsMax)
  }

  /** Names of fields are arbitrary input, so the number of kinds is bounded. */
  #count(code: string, field: string | null): void {
    const key = `${code} ${field ?? ''}`
    const known = this.#kinds.get(key)
    if (known !== undefined) this.#kinds.set(key, { ...known, rows: known.rows + 1 })
    else if (this.#kinds.size < kindsMax) this.#kinds.set(key, { code, field, rows: 1 })
  }
}
