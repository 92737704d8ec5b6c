import { readFileSync } from 'node:fs'

/** The resident memory of a process, polled every 20 ms; 0 where the system does not report it. */
export class PeakMemory {
  readonly #processId: number
  readonly #timer: NodeJS.Timeout
  #peakBytes = 0

  constructor(processId: number) {
    this.#processId = processId
    this.#timer = setInterval(() => this.#look(), 20)
  }

  /** The largest memory since the last call. */
  takePeakBytes(): number {
    this.#look()
    const peak = this.#peakBytes
    this.#peakBytes = 0
    return peak
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    try {
      const status = readFileSync(`/proc/${this.#processId}/status`, 'utf8')
      this.#peakBytes = Math.max(this.#peakBytes, Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024)
    } catch {
      // The process ended, or this is not Linux.
    }
  }
}
