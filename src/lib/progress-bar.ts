export interface ProgressOutput {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

export interface ProgressOptions {
  readonly output: ProgressOutput
  readonly nowMs: () => number
  /** What `done` counts up to; null where nobody knows, as with a pipe. */
  readonly total: number | null
}

const redrawMs = 100
const lineMs = 5_000
const barWidth = 30

/** Shows how far a job is: a bar that redraws itself on a terminal, now and then a plain line elsewhere. */
export class ProgressBar {
  readonly #options: ProgressOptions
  readonly #intervalMs: number
  #shownMs: number
  /** What came after the last line that was shown; null where there is none, or no line was. */
  #unshown: (() => string) | null = null
  #lines = 0

  constructor(options: ProgressOptions) {
    this.#options = options
    this.#intervalMs = options.output.isTTY ? redrawMs : lineMs
    this.#shownMs = options.nowMs()
  }

  /** Draws only as often as a reader can follow; `text` is asked for only then. */
  update(done: number, text: () => string): void {
    const { nowMs } = this.#options
    const now = nowMs()
    this.#unshown = () => this.#line(done, text())
    if (now - this.#shownMs < this.#intervalMs) return
    this.#shownMs = now
    this.#show(this.#unshown)
  }

  /** A line of its own, above the bar. */
  note(line: string): void {
    this.#erase()
    this.#options.output.write(`${line}\n`)
  }

  /** Takes the bar off the terminal. Elsewhere, where lines were shown, the last one says how far it came. */
  end(): void {
    if (this.#options.output.isTTY) this.#erase()
    else if (this.#lines > 0 && this.#unshown !== null) this.#show(this.#unshown)
  }

  #show(text: () => string): void {
    const { output } = this.#options
    const line = text()
    output.write(output.isTTY ? `\r\u001b[2K${line.slice(0, (output.columns ?? 80) - 1)}` : `${line}\n`)
    this.#unshown = null
    this.#lines++
  }

  #erase(): void {
    if (this.#options.output.isTTY) this.#options.output.write('\r\u001b[2K')
  }

  #line(done: number, text: string): string {
    const { output, total } = this.#options
    if (total === null || total <= 0) return text
    const share = Math.min(1, done / total)
    const percent = `${Math.floor(share * 100)}%`
    if (!output.isTTY) return `${percent} ${text}`
    const filled = Math.round(share * barWidth)
    return `[${'#'.repeat(filled)}${' '.repeat(barWidth - filled)}] ${percent.padStart(4)} ${text}`
  }
}
