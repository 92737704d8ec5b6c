import type { CsvError } from '../lib/csv-parser.ts'

/** Rows of a CSV file that cannot be made, of which a push ends at the first one. In a dry run `null` is checked in their place. */
export class UnreadableRows {
  readonly #errorsMax: number
  readonly #errors: CsvError[] = []
  readonly #places = new Set<number>()
  #count = 0

  constructor(errorsMax: number) {
    this.#errorsMax = errorsMax
  }

  get count(): number {
    return this.#count
  }

  /** The first of them, in the file's order. */
  get errors(): readonly CsvError[] {
    return this.#errors
  }

  /** `row` is its place in the file, from 1. */
  add(row: number, error: CsvError): void {
    this.#count++
    this.#places.add(row)
    if (this.#errors.length < this.#errorsMax) this.#errors.push(error)
  }

  /** Their places among some rows of the file, which are forgotten. */
  take(firstRow: number, rows: number): ReadonlySet<number> {
    const taken = new Set<number>()
    if (this.#places.size === 0) return taken
    for (let row = firstRow; row < firstRow + rows; row++) if (this.#places.delete(row)) taken.add(row)
    return taken
  }
}
