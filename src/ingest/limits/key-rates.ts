import { Problem } from '../../model/problem.ts'

export interface KeyRateSettings {
  /** 0 means no limit. */
  readonly rowsPerSecond: number
  readonly bytesPerSecond: number
}

/** The remaining allowance of a key; negative after a push that exceeded it. */
interface Allowance {
  rows: number
  bytes: number
  atMs: number
}

const allowancesMin = 1024

/**
 * Limits how much may be pushed with one API key: one second's allowance may come at once. A push of any size is accepted while any allowance remains,
 * and the excess delays later pushes. So a limit never makes a push impossible.
 */
export class KeyRates {
  readonly #settings: KeyRateSettings
  readonly #nowMs: () => number
  readonly #allowances = new Map<string, Allowance>()
  #allowancesMax = allowancesMin

  constructor(settings: KeyRateSettings, nowMs: () => number) {
    this.#settings = settings
    this.#nowMs = nowMs
  }

  /** Throws Problem `too_many_requests` while the key has no allowance left. */
  requireSpace(keyId: string): void {
    const allowance = this.#allowances.get(keyId)
    if (allowance === undefined) return
    this.#refill(allowance)
    const { rowsPerSecond, bytesPerSecond } = this.#settings
    const rowsS = rowsPerSecond > 0 && allowance.rows <= 0 ? (1 - allowance.rows) / rowsPerSecond : 0
    const bytesS = bytesPerSecond > 0 && allowance.bytes <= 0 ? (1 - allowance.bytes) / bytesPerSecond : 0
    if (rowsS === 0 && bytesS === 0) return
    const limit =
      rowsS >= bytesS
        ? `${rowsPerSecond} rows a second (limits.keyRowsPerSecond)`
        : `${bytesPerSecond} bytes a second (limits.keyBytesPerSecond)`
    throw new Problem(
      'too_many_requests',
      `More than ${limit} were pushed with this key. Nothing was stored. Send it again after the seconds in Retry-After, and less at a time.`,
      { retryAfterS: Math.max(1, Math.ceil(Math.max(rowsS, bytesS))) },
    )
  }

  add(keyId: string, rows: number, bytes: number): void {
    const { rowsPerSecond, bytesPerSecond } = this.#settings
    if (rowsPerSecond === 0 && bytesPerSecond === 0) return
    const allowance = this.#allowances.get(keyId) ?? this.#begin(keyId)
    allowance.rows -= rows
    allowance.bytes -= bytes
  }

  #begin(keyId: string): Allowance {
    if (this.#allowances.size >= this.#allowancesMax) this.#dropFull()
    const { rowsPerSecond, bytesPerSecond } = this.#settings
    const full = { rows: rowsPerSecond, bytes: bytesPerSecond, atMs: this.#nowMs() }
    this.#allowances.set(keyId, full)
    return full
  }

  #refill(allowance: Allowance): void {
    const nowMs = this.#nowMs()
    const seconds = Math.max(0, nowMs - allowance.atMs) / 1000
    const { rowsPerSecond, bytesPerSecond } = this.#settings
    allowance.rows = Math.min(rowsPerSecond, allowance.rows + seconds * rowsPerSecond)
    allowance.bytes = Math.min(bytesPerSecond, allowance.bytes + seconds * bytesPerSecond)
    allowance.atMs = nowMs
  }

  /** Drops full allowances, which are equivalent to none. */
  #dropFull(): void {
    const { rowsPerSecond, bytesPerSecond } = this.#settings
    for (const [keyId, allowance] of this.#allowances) {
      this.#refill(allowance)
      if (allowance.rows >= rowsPerSecond && allowance.bytes >= bytesPerSecond) this.#allowances.delete(keyId)
    }
    this.#allowancesMax = Math.max(allowancesMin, this.#allowances.size * 2)
  }
}
