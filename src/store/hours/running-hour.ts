// Accumulates one metric in one hour. Values come ordered by time and position.
import { lostIn } from '../../lib/lost-in-sum.ts'
import { HourOfMetric, setLong } from './hour-row.ts'

/** Sums of longs below this are exact as doubles. */
const keptMax = 2 ** 52

/** Sum, count and bounds. Of equal bounds the first is kept. */
class RunningValues {
  count = 0
  sum = 0
  lost = 0
  least = Number.NaN
  leastMs = Number.NaN
  leastDigits: bigint | null = null
  greatest = Number.NaN
  greatestMs = Number.NaN
  greatestDigits: bigint | null = null

  add(ms: number, value: number, digits: bigint | null): void {
    const next = this.sum + value
    this.lost += lostIn(this.sum, value, next)
    this.sum = next
    this.count++
    if (!(value >= this.least) || isLess(digits, this.leastDigits, value === this.least)) {
      this.least = value
      this.leastMs = ms
      this.leastDigits = digits
    }
    if (!(value <= this.greatest) || isLess(this.greatestDigits, digits, value === this.greatest)) {
      this.greatest = value
      this.greatestMs = ms
      this.greatestDigits = digits
    }
  }
}

const isLess = (left: bigint | null, right: bigint | null, isEqual: boolean): boolean =>
  isEqual && left !== null && right !== null && left < right

interface Item {
  readonly ms: number
  readonly value: number
  readonly digits: bigint | null
}

export class RunningHour {
  readonly #isLong: boolean
  readonly #all = new RunningValues()
  readonly #good = new RunningValues()
  readonly #items = new RunningValues()
  /** The sum of longs. It is moved to `#putAway` before it is beyond exact doubles. */
  #total = 0
  #putAway = 0n
  #first: Item | null = null
  #before: Item | null = null
  /** The item to be added next: a newer value of its date may replace it, or end it if that is not good. */
  #pending: Item | null = null
  #isPendingEnded = false
  /** When a value that is not good ends that of the last item; NaN if none does. */
  #endedMs = Number.NaN
  /** When such a value ends the item before the hour. */
  #endedBeforeMs = Number.NaN
  #hasDigits = false
  #longestGapMs = 0
  #knownMs = 0
  #held = 0
  #heldLost = 0
  #reached = 0
  #reachedLost = 0
  #falls = 0
  #fallen = 0
  #fallenLost = 0
  #restarted = 0
  #restartedLost = 0
  #deepest = 0

  constructor(isLong: boolean) {
    this.#isLong = isLong
  }

  add(ms: number, value: number, digits: bigint | null, isGood: boolean): void {
    this.#all.add(ms, value, digits)
    if (this.#isLong) this.#addToTotal(value, digits)
    if (!isGood) {
      this.#end(ms)
      return
    }
    this.#good.add(ms, value, digits)
    if (this.#pending?.ms !== ms) {
      this.#commit()
      // An item replaces earlier values of its date that are not good.
      if (this.#endedMs === ms) this.#endedMs = Number.NaN
    }
    this.#pending = { ms, value, digits }
    this.#isPendingEnded = false
  }

  /** Null if there is no value. */
  finish(): HourOfMetric | null {
    this.#commit()
    if (this.#all.count === 0) return null
    const hour = new HourOfMetric()
    setValues(hour, '', this.#all)
    if (this.#good.count !== this.#all.count) setValues(hour, 'good_', this.#good)
    if (this.#items.count !== this.#all.count) setValues(hour, 'item_', this.#items)
    setBounds(hour, '', this.#all)
    if (this.#items.count !== this.#all.count) setBounds(hour, 'item_', this.#items)
    if (this.#isLong) setLong(hour, 'total', BigInt.asIntN(64, this.#putAway + BigInt(this.#total)))
    if (this.#first === null) hour.set('ended_ms', this.#endedMs)
    else this.#setOrder(hour, this.#first)
    return hour
  }

  #addToTotal(value: number, digits: bigint | null): void {
    const isSmall = Math.abs(value) < keptMax / 2
    if (isSmall) this.#total += value
    else this.#putAway += digits ?? BigInt(value)
    if (Math.abs(this.#total) <= keptMax) return
    this.#putAway += BigInt(this.#total)
    this.#total = 0
  }

  #end(ms: number): void {
    if (this.#pending?.ms !== ms) this.#commit()
    if (this.#pending !== null) this.#isPendingEnded = true
    else if (Number.isNaN(this.#endedMs)) this.#endedMs = ms
  }

  #commit(): void {
    const item = this.#pending
    if (item === null) return
    this.#pending = null
    this.#items.add(item.ms, item.value, item.digits)
    if (item.digits !== null) this.#hasDigits = true
    if (this.#before === null) {
      this.#first = item
      this.#endedBeforeMs = this.#endedMs
    } else this.#span(this.#before, item)
    this.#before = item
    this.#endedMs = this.#isPendingEnded ? item.ms : Number.NaN
  }

  #span(from: Item, to: Item): void {
    const gapMs = to.ms - from.ms
    this.#longestGapMs = Math.max(this.#longestGapMs, gapMs)
    const isEnded = !Number.isNaN(this.#endedMs)
    const knownMs = isEnded ? this.#endedMs - from.ms : gapMs
    this.#knownMs += knownMs
    const held = this.#held + from.value * knownMs
    this.#heldLost += lostIn(this.#held, from.value * knownMs, held)
    this.#held = held
    // An ended value holds, even where values follow the line.
    const end = isEnded ? from.value : to.value
    const reached = this.#reached + end * knownMs
    this.#reachedLost += lostIn(this.#reached, end * knownMs, reached)
    this.#reached = reached
    if (to.value < from.value) this.#fall(from.value, to.value)
  }

  #fall(from: number, to: number): void {
    const drop = from - to
    const fallen = this.#fallen + drop
    this.#fallenLost += lostIn(this.#fallen, drop, fallen) + lostIn(from, -to, drop)
    this.#fallen = fallen
    const restarted = this.#restarted + Math.max(0, to)
    this.#restartedLost += lostIn(this.#restarted, Math.max(0, to), restarted)
    this.#restarted = restarted
    this.#falls++
    this.#deepest = Math.max(this.#deepest, drop)
  }

  #setOrder(hour: HourOfMetric, first: Item): void {
    const last = this.#before!
    hour.set('first', first.value, first.digits)
    hour.set('first_ms', first.ms)
    hour.set('last', last.value, last.digits)
    hour.set('last_ms', last.ms)
    const held = this.#held + this.#heldLost
    const both = this.#held + this.#reached
    const line = (both + (lostIn(this.#held, this.#reached, both) + this.#heldLost + this.#reachedLost)) / 2
    const [fallen, restarted] = [this.#fallen + this.#fallenLost, this.#restarted + this.#restartedLost]
    hour.set('least_ms', this.#items.leastMs)
    hour.set('greatest_ms', this.#items.greatestMs)
    // Longs beyond 2^53 differ from their doubles, and results beyond the largest double are unknown.
    if (this.#hasDigits || ![line, held, fallen, restarted].every(Number.isFinite)) return
    hour.set('gap_ms', this.#longestGapMs)
    hour.set('held', held)
    hour.set('line', line)
    if (this.#knownMs !== last.ms - first.ms) hour.set('known_ms', this.#knownMs)
    hour.set('ended_ms', this.#endedBeforeMs)
    hour.set('end_ms', this.#endedMs)
    if (this.#falls === 0) return
    hour.set('falls', this.#falls)
    hour.set('fallen', fallen)
    hour.set('restarted', restarted)
    hour.set('deepest', this.#deepest)
  }
}

/** A sum beyond the largest double is unknown. */
function setValues(hour: HourOfMetric, set: '' | 'good_' | 'item_', { count, sum, lost }: RunningValues): void {
  hour.set(`${set}count`, count)
  const isKnown = Number.isFinite(sum + lost)
  hour.set(`${set}sum`, isKnown ? sum : Number.NaN)
  hour.set(`${set}lost`, isKnown ? lost : Number.NaN)
}

function setBounds(hour: HourOfMetric, set: '' | 'item_', values: RunningValues): void {
  hour.set(`${set}least`, values.least, values.leastDigits)
  hour.set(`${set}greatest`, values.greatest, values.greatestDigits)
}
