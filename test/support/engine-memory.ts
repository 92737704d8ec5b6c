// The resident memory of a service's SQL engine processes, where the system reports it.
import { readdirSync, readFileSync } from 'node:fs'

/** Polls every 20 ms. The service runs in this process or was started by it. */
export class EngineMemory {
  readonly #timer: NodeJS.Timeout
  #peakBytes = 0

  constructor() {
    this.#timer = setInterval(() => this.#look(), 20)
  }

  /** The largest memory of one engine process since the last call. */
  takePeakBytes(): number {
    const peak = this.#peakBytes
    this.#peakBytes = 0
    return peak
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    if (process.platform !== 'linux') return
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name)) continue
      try {
        if (!readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('sql-process/worker-side/entry.js')) continue
        if (!isOurs(Number(name))) continue
        const held = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1]
        this.#peakBytes = Math.max(this.#peakBytes, Number(held ?? 0) * 1024)
      } catch {
        // It ended between two polls.
      }
    }
  }
}

function isOurs(id: number): boolean {
  for (let at = id, depth = 0; at > 1 && depth < 4; depth++) {
    if (at === process.pid) return true
    at = Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${at}/status`, 'utf8'))?.[1] ?? 0)
  }
  return false
}
