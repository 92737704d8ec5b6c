export interface PageSizes {
  /** The most rows of a page. */
  readonly pageRows: number
  /** Small series share a page up to so many rows. */
  readonly sharedPageRows: number
}

/**
 * Decides where pages end, while rows come: at the boundaries of series, and within the long ones. Rows are counted from the
 * first one of the row group.
 */
export class PageCuts {
  /** The row after the last of each page. */
  ends: number[] = []
  readonly #sizes: PageSizes
  /** Where the page at hand and the series at hand begin. */
  #pageStart = 0
  #seriesStart = 0

  constructor(sizes: PageSizes) {
    this.#sizes = sizes
  }

  /** Rows in pages that are complete. */
  get rows(): number {
    return this.#pageStart
  }

  beginSeries(rows: number): void {
    this.#seriesStart = rows
  }

  /** Says how many rows there are now. */
  grow(rows: number): void {
    const { pageRows, sharedPageRows } = this.#sizes
    // Other series lose the page to one that does not fit in.
    if (this.#pageStart < this.#seriesStart && rows - this.#pageStart > sharedPageRows) this.#cut(this.#seriesStart)
    // What is left of a series makes two pages, so that the last one is not a short one.
    while (this.#pageStart >= this.#seriesStart && rows - this.#pageStart >= 2 * pageRows)
      this.#cut(this.#pageStart + pageRows)
  }

  /** Ends the page at hand: its rows are long ones. */
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

  /** All rows are there. */
  finish(rows: number): void {
    this.#cut(rows)
  }

  /** The complete pages become a row group; what is behind them is the start of the next. */
  takeEnds(): Int32Array {
    const ends = Int32Array.from(this.ends)
    this.ends = []
    this.#seriesStart -= this.#pageStart
    this.#pageStart = 0
    return ends
  }

  /** Nothing when the page at hand has no row. */
  #cut(row: number): void {
    if (row === this.#pageStart) return
    this.ends.push(row)
    this.#pageStart = row
  }
}
