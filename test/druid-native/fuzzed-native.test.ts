// The fuzzer of native queries uses everything that the documentation names.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fuzzedNative } from './fuzzed-native.ts'

const page = (name: string): string => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8')

/** Expands `{long,double}{Sum,Min}` to its four names. */
function spelledOut(text: string): readonly string[] {
  const group = /\{([^{}]+)\}/.exec(text)
  if (group === null) return [text]
  return group[1]!.split(',').flatMap((one) => spelledOut(text.replace(group[0], one)))
}

/** The names in a line of a table, without explanations. */
function namesIn(text: string, line: string): readonly string[] {
  const cell = new RegExp(`^\\| ${line} \\| (.*) \\|$`, 'm').exec(text)?.[1] ?? ''
  const listed = cell.split(/;/)[0]!.replace(/\([^)]*\)/g, '')
  return listed
    .split(/,\s*(?![^{]*\})|(?<=\w) and /)
    .map((one) => /^[\w{},]+/.exec(one.trim())?.[0] ?? '')
    .filter((name) => name !== '')
    .flatMap(spelledOut)
}

const bodies = Array.from({ length: 4000 }, (_, number) => fuzzedNative(number))
const all = bodies.join('\n')
const types = new Set([...all.matchAll(/"(?:type|queryType)":"(\w+)"/g)].map(([, type]) => type))
const called = new Set([...all.matchAll(/(\w+)\(/g)].map(([, name]) => name!.toLowerCase()))

test.each([
  ['general', 16],
  ['texts', 24],
  ['numbers', 40],
  ['arrays', 22],
  ['lambdas', 7],
  ['JSON', 7],
  ['addresses', 4],
  ['bits and forms', 11],
  ['times', 8],
])('random queries use all documented functions: %s', (line, least) => {
  const names = namesIn(page('druid-expressions'), line)
  expect(names.length).toBeGreaterThanOrEqual(least)
  expect(names.filter((name) => name !== 'and' && !called.has(name.toLowerCase()))).toEqual([])
})

test.each([
  ['query types', 8],
  ['filters', 21],
  ['aggregators', 30],
  ['post-aggregators', 17],
  ['having', 9],
  ['extraction functions', 13],
])('random queries use all documented components: %s', (line, least) => {
  const names = namesIn(page('druid-native'), line)
  expect(names.length).toBeGreaterThanOrEqual(least)
  expect(names.filter((name) => !types.has(name))).toEqual([])
})

test.each([
  ['orderings', /"(?:ordering|dimensionOrder|sort)":(?:\{"type":)?"/],
  ['context', /"context":\{[^}]*"/],
])('random queries use all documented keywords: %s', (line, before) => {
  const names = namesIn(page('druid-native'), line)
  expect(names.length).toBeGreaterThan(3)
  expect(names.filter((name) => !new RegExp(`${before.source}${name}"`).test(all))).toEqual([])
})
