/** So many places with blank lines are remembered. */
const placesMax = 100_000

/** On which line of a file of NDJSON a row stands: blank lines are no rows. */
export class FileLines {
  /** Ascending: behind so many rows stand so many blank lines, all before them counted. */
  readonly #places: { readonly rows: number; blanks: number }[] = []
  #blanks = 0

  blankAfter(rows: number): void {
    this.#blanks++
    const last = this.#places.at(-1)
    if (last?.rows === rows) last.blanks = this.#blanks
    else if (this.#places.length <= placesMax) this.#places.push({ rows, blanks: this.#blanks })
  }

  /** Rows and lines count from 1. Null where too many blank lines came before. */
  lineOf(row: number): number | null {
    if (this.#places.length > placesMax && row > this.#places.at(-1)!.rows) return null
    const place = this.#places.findLast(({ rows }) => rows < row)
    return row + (place?.blanks ?? 0)
  }
}
