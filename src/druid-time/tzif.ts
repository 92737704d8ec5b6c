// The offset changes of a zone from a file of a zoneinfo folder (TZif, RFC 9636), including the rule at its end for all later times.
import { msPerDay } from '../model/instant.ts'
import { knownUntilMs, type ZoneChange } from './zone-changes.ts'

const magic = 'TZif'
const headerBytes = 44

/** Whether a file is TZif of a version with 64-bit times. */
export function isTzif(bytes: Uint8Array): boolean {
  return bytes.length > headerBytes && textOf(bytes, 0, 4) === magic && bytes[4]! >= 0x32
}

const textOf = (bytes: Uint8Array, from: number, until: number): string =>
  String.fromCharCode(...bytes.subarray(from, until))

/** Throws an Error when the file is not TZif, is truncated, counts leap seconds, or has a malformed rule. */
export function tzifChanges(bytes: Uint8Array): readonly ZoneChange[] {
  if (!isTzif(bytes)) throw new Error('it is not a TZif file of version 2 or later')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  // The block with 32-bit times comes first and adds nothing.
  const start = blockEnd(view, 0, 4)
  const { leaps, times, types } = countsAt(view, start)
  if (leaps > 0) throw new Error('it counts leap seconds')
  const timesAt = start + headerBytes
  const typesAt = timesAt + times * 9
  const offsetMs = (type: number): number => view.getInt32(typesAt + type * 6) * 1000
  if (types === 0) throw new Error('it names no offset')
  const found: ZoneChange[] = [{ fromMs: Number.NEGATIVE_INFINITY, offsetMs: offsetMs(0) }]
  for (let index = 0; index < times; index++) {
    const fromMs = Number(view.getBigInt64(timesAt + index * 8)) * 1000
    found.push({ fromMs, offsetMs: offsetMs(view.getUint8(timesAt + times * 8 + index)) })
  }
  const rule = textOf(bytes, blockEnd(view, start, 8), bytes.length).trim()
  return rule === '' ? found : [...found, ...changesOfRule(rule, found.at(-1)!.fromMs)]
}

function countsAt(view: DataView, at: number) {
  const [utcs, standards, leaps, times, types, chars] = [20, 24, 28, 32, 36, 40].map((place) =>
    view.getUint32(at + place),
  ) as [number, number, number, number, number, number]
  return { utcs, standards, leaps, times, types, chars }
}

function blockEnd(view: DataView, at: number, timeBytes: number): number {
  const { utcs, standards, leaps, times, types, chars } = countsAt(view, at)
  return at + headerBytes + times * (timeBytes + 1) + types * 6 + chars + leaps * (timeBytes + 4) + standards + utcs
}

/** A rule in the form of POSIX's TZ variable: `CET-1CEST,M3.5.0,M10.5.0/3`. */
const name = '(?:<[^>]+>|[A-Za-z]{3,})'
const time = '[+-]?\\d{1,3}(?::\\d\\d(?::\\d\\d)?)?'
const date = '(?:M\\d{1,2}\\.[1-5]\\.[0-6]|J?\\d{1,3})'
const ruleForm = new RegExp(
  `^${name}(${time})(?:${name}(${time})?,(${date})(?:/(${time}))?,(${date})(?:/(${time}))?)?$`,
)

/** The changes that a rule makes after an instant. */
function changesOfRule(rule: string, afterMs: number): ZoneChange[] {
  const parts = ruleForm.exec(rule)
  if (parts === null) throw new Error(`its rule "${rule}" is not valid`)
  const [, west, summerWest, from, fromTime = '2', until, untilTime = '2'] = parts
  // Subtracted, not negated: negating 0 makes -0.
  const standardMs = 0 - timeMs(west!)
  if (from === undefined || until === undefined) return [{ fromMs: afterMs, offsetMs: standardMs }]
  const summerMs = summerWest === undefined ? standardMs + timeMs('1') : 0 - timeMs(summerWest)
  const found: ZoneChange[] = []
  const first = Math.max(1800, new Date(afterMs).getUTCFullYear() || 0) - 1
  for (let year = first; Date.UTC(year, 0, 1) < knownUntilMs; year++) {
    const summer = { fromMs: dateMs(from, year) + timeMs(fromTime) - standardMs, offsetMs: summerMs }
    const winter = { fromMs: dateMs(until, year) + timeMs(untilTime) - summerMs, offsetMs: standardMs }
    found.push(winter, summer)
  }
  // Where one summer starts as another ends, summer continues: the sort is stable.
  found.sort((a, b) => a.fromMs - b.fromMs)
  return found.filter(({ fromMs }) => fromMs > afterMs)
}

function timeMs(text: string): number {
  const [hours, minutes = 0, seconds = 0] = text.replace(/^[+-]/, '').split(':').map(Number)
  const ms = ((hours! * 60 + minutes) * 60 + seconds) * 1000
  return text.startsWith('-') ? -ms : ms
}

/** Midnight of a rule's day: `M3.5.0` is the last Sunday of March, `J60` always 1 March, `59` the 60th day. */
function dateMs(text: string, year: number): number {
  if (!text.startsWith('M')) {
    const isJulian = text.startsWith('J')
    const day = Number(text.replace('J', ''))
    // Julian days never count 29 February.
    return isJulian ? Date.UTC(year, 0, 1) + julianDays(day, year) * msPerDay : Date.UTC(year, 0, 1 + day)
  }
  const [month, week, weekday] = text.slice(1).split('.').map(Number) as [number, number, number]
  const first = Date.UTC(year, month - 1, 1)
  const days = ((weekday - new Date(first).getUTCDay() + 7) % 7) + (week - 1) * 7
  const daysInMonth = (Date.UTC(year, month, 1) - first) / msPerDay
  return first + (days < daysInMonth ? days : days - 7) * msPerDay
}

const julianDays = (day: number, year: number): number =>
  day - 1 + (day >= 60 && new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1 ? 1 : 0)
