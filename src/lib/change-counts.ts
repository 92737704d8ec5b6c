// How often things have changed, by the UTC day that each change is about, in memory that threads share. Who keeps a result made of such a thing can
// tell, without asking, whether it is still good.

const dayMs = 86_400_000
/** Days with a count of their own, on each side of the day of the start; all days beyond share the outermost count. */
const daysOneSide = 256
const days = 2 * daysOneSide
/** Things whose numbers have the same remainder by it share their counts. */
const places = 256
/** A count of all changes, one of those that are about no single day, and one for each day. */
const countsOfPlace = 2 + days
const placeBytes = countsOfPlace * Int32Array.BYTES_PER_ELEMENT

/** What is sent to another thread, so that it reads the same counts. */
export interface SharedCounts {
  readonly memory: SharedArrayBuffer
  readonly firstDay: number
}

/** Between two instants, both of them included; an open side is -Infinity or Infinity. */
export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/**
 * One thread changes the things, and counts in the same turn of its event loop. Another one reads a state, then asks that thread for a result, and may use
 * the result for as long as the state is the same.
 */
export class ChangeCounts {
  readonly shared: SharedCounts
  readonly #counts: Int32Array
  readonly #places: number

  constructor(shared: SharedCounts) {
    this.shared = shared
    this.#counts = new Int32Array(shared.memory)
    this.#places = shared.memory.byteLength / placeBytes
  }

  static fresh(nowMs: number): ChangeCounts {
    const memory = new SharedArrayBuffer(places * placeBytes)
    return new ChangeCounts({ memory, firstDay: Math.floor(nowMs / dayMs) - daysOneSide })
  }

  /** For one thing alone. Nothing is counted yet; days have their counts where the other has them. */
  static ofOneLike({ firstDay }: SharedCounts): ChangeCounts {
    return new ChangeCounts({ memory: new SharedArrayBuffer(placeBytes), firstDay })
  }

  /** All that was counted of a thing and of those that share its counts, for who follows them with counts of his own. */
  countsOf(thing: number): Int32Array<ArrayBuffer> {
    const place = this.#placeOf(thing)
    return Int32Array.from(this.#counts.subarray(place, place + countsOfPlace))
  }

  /** Goes on from what another one has counted of a thing. */
  continueFrom(thing: number, counts: Int32Array): void {
    this.#counts.set(counts, this.#placeOf(thing))
  }

  /** Something about the first `count` of these instants changes. */
  changed(thing: number, timesMs: Float64Array, count: number): void {
    if (count === 0) return
    const place = this.#placeOf(thing)
    let counted = -1
    for (let at = 0; at < count; at++) {
      const day = this.#dayOf(timesMs[at]!)
      if (day === counted) continue
      Atomics.add(this.#counts, place + 2 + day, 1)
      counted = day
    }
    Atomics.add(this.#counts, place, 1)
  }

  /** Anything about the thing may change. */
  allChanged(thing: number): void {
    const place = this.#placeOf(thing)
    Atomics.add(this.#counts, place, 1)
    Atomics.add(this.#counts, place + 1, 1)
  }

  /** Anything about all things may change. */
  everythingChanged(): void {
    for (let thing = 0; thing < this.#places; thing++) this.allChanged(thing)
  }

  /** Another number after each change about this span. */
  state(thing: number, { fromMs, toMs }: Span): number {
    const place = this.#placeOf(thing)
    if (fromMs === Number.NEGATIVE_INFINITY && toMs === Number.POSITIVE_INFINITY)
      return Atomics.load(this.#counts, place)
    // Counts only grow, and so does the sum of any of them.
    let sum = Atomics.load(this.#counts, place + 1)
    const last = this.#dayOf(toMs)
    for (let day = this.#dayOf(fromMs); day <= last; day++) sum += Atomics.load(this.#counts, place + 2 + day)
    return sum
  }

  #dayOf(ms: number): number {
    return Math.min(Math.max(Math.floor(ms / dayMs) - this.shared.firstDay, 0), days - 1)
  }

  #placeOf(thing: number): number {
    return (thing % this.#places) * countsOfPlace
  }
}
