export interface ProgressOutput {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

export interface ProgressOptions {
  readonly output: ProgressOutput
  readonly nowMs: () => number
  /** The value of `done` at the end; null if unknown, as with a pipe. */
  readonly total: number | null
}

const redrawMs = 100
const lineMs = 5_000
const barWidth = 30

/** Shows the progress of a job: a bar that redraws itself on a terminal, a plain line now and then elsewhere. */
export class ProgressBar {
  readonly #options: ProgressOptions
  readonly #intervalMs: number
  #shownMs: number
  /** The last update that has not been shown; null if there is none. */
  #unshown: (() => string) | null = null
  #lines = 0

  constructor(options: ProgressOptions) {
    this.#options = options
    this.#intervalMs = options.output.isTTY ? redrawMs : lineMs
    this.#shownMs = options.nowMs()
  }

  /** Draws only as often as a reader can follow; `text` is called only then. */
  update(done: number, text: () => string): void {
    const { nowMs } = this.#options
    const now = nowMs()
    this.#unshown = () => this.#line(done, text())
    if (now - this.#shownMs < this.#intervalMs) return
    this.#shownMs = now
    this.#show(this.#unshown)
  }

  /** Writes a separate line above the bar. */
  note(line: string): void {
    this.#erase()
    this.#options.output.write(`${line}\n`)
  }

  /** Removes the bar from the terminal. Elsewhere, if lines were shown, writes the final state as the last line. */
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
