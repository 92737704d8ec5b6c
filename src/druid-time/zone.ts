// Time zones as in Joda-Time: offsets at instants, and conversion back from local time, which keeps the original offset where it can.
import { msPerDay } from '../model/instant.ts'
import type { ZoneChange, ZoneChanges } from './zone-changes.ts'
import { changesOfZone } from './zone-rules.ts'

const hourMs = 3_600_000
const offsetForm = /^([+-])(\d{2}):?(\d{2})(?::?(\d{2}))?$/

/** The instants at which a zone's clock shows a local time. */
export interface LocalMoments {
  readonly moments: readonly [number, number?]
  /** Whether the clock never shows it. */
  readonly skipped: boolean
}

/**
 * Names that are not in the tz database but that the runtime's calendar accepts. It reads BST as Bangladesh, while its writer means British summer
 * time. They are Java's old three-letter names; those that the database has (EST, MST, HST, CET, EET, WET, MET) are not among them.
 */
const shortNames = new Set(
  'ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST'.split(' '),
)

export class Zone {
  readonly name: string
  readonly #fixedMs: number
  /** Null for a fixed offset. */
  readonly #changes: ZoneChanges | null

  private constructor(name: string, fixedMs: number, changes: ZoneChanges | null) {
    this.name = name
    this.#fixedMs = fixedMs
    this.#changes = changes
  }

  static readonly utc = new Zone('UTC', 0, null)

  /** A name of the tz database or an offset like `-08:00`; null when there is no such zone. */
  static find(text: string): Zone | null {
    if (['UTC', 'Z', 'Etc/UTC', 'GMT'].includes(text)) return Zone.utc
    const offset = offsetForm.exec(text)
    if (offset !== null) {
      const [, sign, hours, minutes, seconds = '0'] = offset
      const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
      if (Number(hours) > 23 || Number(minutes) > 59) return null
      return ms === 0 ? Zone.utc : new Zone(text, sign === '-' ? -ms : ms, null)
    }
    if (!/^[A-Za-z]/.test(text) || shortNames.has(text.toUpperCase())) return null
    const changes = changesOfZone(text)
    if (changes === null) return null
    return changes.isUtc ? Zone.utc : new Zone(text, 0, changes)
  }

  get fixed(): boolean {
    return this.#changes === null
  }

  /** Local time minus UTC at an instant. */
  offset(ms: number): number {
    return this.#changes === null ? this.#fixedMs : this.#changes.at(ms)
  }

  toLocal(ms: number): number {
    return ms + this.offset(ms)
  }

  /** The instant of a local time, with the offset of `nearMs` where the local time occurs twice. */
  toInstant(localMs: number, nearMs: number): number {
    const near = this.offset(nearMs)
    const guess = localMs - near
    const there = this.offset(guess)
    if (there === near) return guess
    const other = localMs - there
    // A skipped local time: the instant of the change, or as far after it as the time lies into the gap.
    return this.offset(other) === there ? other : localMs - Math.min(near, there)
  }

  /** The instant of the local start of the bucket that holds `ms`. If clocks skipped the start, the bucket starts at that change. */
  toStart(localMs: number, ms: number): number {
    const startMs = this.toInstant(localMs, ms)
    const isShown = startMs <= ms && this.toLocal(startMs) === localMs
    return isShown ? startMs : this.sameOffsetSince(Math.min(startMs, ms))
  }

  /**
   * The instants of a local time: one, or two where the clock shows it twice, the earlier one first. `skipped` where the clock never shows it: by the
   * old offset it is then as far after the change as it lies into the gap, and by the new offset as far before the change as it lies before the gap's end.
   */
  momentsOf(localMs: number): LocalMoments {
    // Every offset is shorter than a day, so the change lies between these two.
    const earlier = this.offset(localMs - msPerDay)
    const later = this.offset(localMs + msPerDay)
    const byBoth = [localMs - earlier, localMs - later] as const
    if (earlier === later) return { moments: [byBoth[0]], skipped: false }
    const [before, after] = [this.offset(byBoth[0]) === earlier, this.offset(byBoth[1]) === later]
    if (before !== after) return { moments: [before ? byBoth[0] : byBoth[1]], skipped: false }
    const [first, second] = byBoth
    return { moments: [Math.min(first, second), Math.max(first, second)], skipped: !before }
  }

  /** The offsets in force between two instants, the first from `-Infinity` on. */
  changes(fromMs: number, untilMs: number): readonly ZoneChange[] {
    if (this.#changes === null) return [{ fromMs: Number.NEGATIVE_INFINITY, offsetMs: this.#fixedMs }]
    return this.#changes.between(fromMs, untilMs)
  }

  /** The start of the unbroken period with the offset of `ms`; `-Infinity` where the offset never changed before. */
  sameOffsetSince(ms: number): number {
    return this.#changes === null ? Number.NEGATIVE_INFINITY : this.#changes.sameSince(ms)
  }

  /** The instant of the next change of the offset after `ms`, or `untilMs` where that is earlier. */
  sameOffsetUntil(ms: number, untilMs: number): number {
    return this.#changes === null ? untilMs : this.#changes.sameUntil(ms, untilMs)
  }
}

/** `Z`, or `+02:00`. */
export function formatOffset(offsetMs: number): string {
  const size = Math.abs(offsetMs)
  const pad = (value: number): string => String(value).padStart(2, '0')
  const seconds = Math.floor(size / 1000) % 60
  const text = `${offsetMs < 0 ? '-' : '+'}${pad(Math.floor(size / hourMs))}:${pad(Math.floor(size / 60_000) % 60)}`
  return seconds === 0 ? text : `${text}:${pad(seconds)}`
}
