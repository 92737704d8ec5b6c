import { expect, test } from 'vitest'
import { rounds } from '../../test/support/rounds.ts'
import { runtimeOffsets, runtimeZoneChanges } from './runtime-zone.ts'
import { Zone } from './zone.ts'
import { ZoneChanges } from './zone-changes.ts'

const dayMs = 86_400_000

test.each([
  'Europe/Madrid',
  'America/Havana',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'America/St_Johns',
  'Asia/Kolkata',
  'Asia/Gaza',
  'Africa/Monrovia',
])('the changes of %s agree with Intl, at each change and at all other times', (name) => {
  const known = runtimeZoneChanges(name)
  const changes = new ZoneChanges(known)
  const ask = runtimeOffsets(name)
  const beside = known.slice(1).flatMap(({ fromMs }) => [fromMs - 1000, fromMs, fromMs + 3 * dayMs])
  const often = Array.from({ length: rounds(2000) }, (_, index) => Date.UTC(1800, 0, 1) + index * 977 * 86_400_000)
  // Here one of the zones changes its clocks and changes them back a week later.
  const near = Array.from({ length: 30 }, (_, index) => Date.UTC(2040, 9, 1 + index))
  const asked = [...beside, ...near, ...often.filter((at) => at < Date.UTC(9999, 0, 1))]
  expect(asked.filter((ms) => !Object.is(changes.at(ms), ask(ms))).map((ms) => new Date(ms))).toEqual([])
})

test.each(['utc', 'Etc/UTC', 'Zulu', 'GMT'])('%s is UTC', (name) => {
  expect(Zone.find(name)).toBe(Zone.utc)
})

const madrid = new ZoneChanges(runtimeZoneChanges('Europe/Madrid'))

test('an offset applies from its change to the next one, in any 400-year cycle of the calendar', () => {
  const [summer, winter] = [Date.UTC(2026, 2, 29, 1), Date.UTC(2026, 9, 25, 1)]
  for (const cycle of [0, 400, 4000]) {
    const later = (ms: number): number => ms + (cycle / 400) * 146_097 * dayMs
    // Years within and after the cycle from 2088 to 2488.
    if (cycle !== 0) expect(new Date(later(summer)).getUTCFullYear()).toBe(2026 + cycle)
    expect(madrid.sameSince(later(summer + dayMs))).toBe(later(summer))
    expect(madrid.sameUntil(later(summer), Number.POSITIVE_INFINITY)).toBe(later(winter))
    expect(madrid.sameUntil(later(summer), later(summer + dayMs))).toBe(later(summer + dayMs))
  }
})

test('a zone without further changes keeps its offset for ever', () => {
  const kolkata = new ZoneChanges(runtimeZoneChanges('Asia/Kolkata'))
  expect(kolkata.sameUntil(Date.UTC(2026, 0, 1), Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY)
  expect(kolkata.sameUntil(Date.UTC(7000, 0, 1), Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY)
})
