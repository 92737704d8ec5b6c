export interface PageSizes {
  /** The most rows of a page. */
  readonly pageRows: number
  /** The most rows of a page shared by small series. */
  readonly sharedPageRows: number
}

/**
 * Decides where pages end while rows arrive: at the boundaries of series, and within long series. Rows are counted from the first row of the
 * row group.
 */
export class PageCuts {
  /** The row after the last of each page. */
  ends: number[] = []
  readonly #sizes: PageSizes
  /** The start of the current page and of the current series. */
  #pageStart = 0
  #seriesStart = 0

  constructor(sizes: PageSizes) {
    this.#sizes = sizes
  }

  /** Rows in complete pages. */
  get rows(): number {
    return this.#pageStart
  }

  beginSeries(rows: number): void {
    this.#seriesStart = rows
  }

  /** Sets the current number of rows. */
  grow(rows: number): void {
    const { pageRows, sharedPageRows } = this.#sizes
    // A series that does not fit into a shared page begins a new one.
    if (this.#pageStart < this.#seriesStart && rows - this.#pageStart > sharedPageRows) this.#cut(this.#seriesStart)
    // Keeps the last rows for two pages, so that the last page of a series is not short.
    while (this.#pageStart >= this.#seriesStart && rows - this.#pageStart >= 2 * pageRows)
      this.#cut(this.#pageStart + pageRows)
  }

  /** Ends the current page early, because its rows are long. */
  cut(rows: number): void {
    if (this.#pageStart < this.#seriesStart) this.#cut(this.#seriesStart)
    this.#cut(rows)
  }

  endSeries(rows: number): void {
    const own = rows - this.#pageStart
    if (own > this.#sizes.pageRows) this.#cut(this.#pageStart + Math.ceil(own / 2))
    const continues = this.#pageStart > this.#seriesStart
    if (continues || rows - this.#pageStart >= this.#sizes.sharedPageRows) this.#cut(rows)
  }

  /** Ends the last page, when there are no more rows. */
  finish(rows: number): void {
    this.#cut(rows)
  }

  /** Takes the complete pages as a row group; the rows after them begin the next one. */
  takeEnds(): Int32Array {
    const ends = Int32Array.from(this.ends)
    this.ends = []
    this.#seriesStart -= this.#pageStart
    this.#pageStart = 0
    return ends
  }

  /** Does nothing when the current page has no row. */
  #cut(row: number): void {
    if (row === this.#pageStart) return
    this.ends.push(row)
    this.#pageStart = row
  }
}
