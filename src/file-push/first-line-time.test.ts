import { expect, test } from 'vitest'
import type { LinePrecision } from '../model/line-format.ts'
import { FirstLineTime } from './first-line-time.ts'

async function likely(lines: readonly string[], given: LinePrecision) {
  const lineTime = new FirstLineTime(given)
  const groups = (async function* () {
    yield []
    for (const line of lines) yield [Buffer.from(line)]
  })()
  const passed: string[] = []
  for await (const group of lineTime.of(groups)) passed.push(...group.map((line) => Buffer.from(line).toString()))
  expect(passed).toEqual(lines)
  return lineTime.likelyPrecision()
}

const year2026 = Date.UTC(2026, 0, 1)

test.each([
  ['1767225600', 'ns', 's', 1767],
  ['1767225600', 'us', 's', 1_767_225],
  ['1767225600', 'ms', 's', 1_767_225_600],
  ['1767225600000', 'ns', 'ms', 1_767_225],
  ['1767225600000', 'us', 'ms', 1_767_225_600],
  ['1767225600000000', 'ns', 'us', 1_767_225_600],
] as const)('the time %s, read in %s, is likely in %s', async (time, given, likelyUnit, givenMs) => {
  const found = { time, given, givenMs, likely: likelyUnit, likelyMs: year2026 }
  expect(await likely([`m a=1 ${time}`], given)).toEqual(found)
})

test.each([
  ['946684799', 'ns', null],
  ['946684800', 'ns', 's'],
  ['4102444799', 'ns', 's'],
  ['4102444800', 'ns', null],
  ['1767225600', 's', null],
  ['1767225600', 'm', null],
  ['1767225600', 'h', null],
  ['1767225600000', 's', null],
  ['1767225600000000000', 'ns', null],
  ['29453760', 'ns', null],
  ['-1767225600', 'ns', null],
  ['0', 'ns', null],
  ['9223372036854775807', 'ns', null],
] as const)('at the bounds, %s, read in %s, is likely in %s', async (time, given, unit) => {
  expect((await likely([`m a=1 ${time}`], given))?.likely ?? null).toBe(unit)
})

test.each([
  ['after comments and lines without a time', ['# c 1', '', 'm a=1', 'none', 'm a=1 1767225600', 'm a=1 5'], 's'],
  ['a later time is ignored', ['m a=1 5', 'm a=1 1767225600'], null],
  ['no lines', [], null],
  ['lines without times', ['m a=1', 'm a=2'], null],
  ['at line 1,000', [...Array(999).fill('m a=1'), 'm a=1 1767225600'], 's'],
  ['at line 1,001', [...Array(1000).fill('m a=1'), 'm a=1 1767225600'], null],
  ['in a line longer than 64 KiB', [`m,x=${'y'.repeat(65_536)} a=1 1767225600`], null],
])('detects the unit of the first time: %s', async (_, lines, unit) => {
  expect((await likely(lines, 'ns'))?.likely ?? null).toBe(unit)
})
