// Every regular expression of the service takes time proportional to its text: it reads input from strangers, and everything else waits meanwhile.
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { parseAst } from 'vite'
import { expect, test } from 'vitest'
import { sources, textOf } from './source-files.ts'

interface Pattern {
  readonly place: string
  readonly source: string
  readonly flags: string
}

/** A text designed to be slow: one part is repeated very often, and its end does not match the pattern. */
type Attack = readonly [before: string, often: string, after: string]

function patternsOf(code: string, place: string): Pattern[] {
  const found: Pattern[] = []
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const pattern: unknown = Reflect.get(node, 'regex')
    if (typeof pattern === 'object' && pattern !== null) {
      const line = code.slice(0, Number(Reflect.get(node, 'start'))).split('\n').length
      found.push({
        place: `${place}:${line}`,
        source: String(Reflect.get(pattern, 'pattern')),
        flags: String(Reflect.get(pattern, 'flags')),
      })
    }
    for (const part of Object.values(node)) walk(part)
  }
  walk(parseAst(code, { lang: 'ts' }))
  return found
}

/** Assertions and back references match no text of their own, and fast-check cannot generate from a class without printable ASCII. */
const atom = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\(\?<?[=!](?:\\[\s\S]|[^()\\]|\([^()]*\))*\)|[$^]/g
const printable = Array.from({ length: 95 }, (_, place) => String.fromCharCode(32 + place))

function samplesOf({ source, flags }: Pattern): readonly string[] {
  const bare = source.replace(atom, (part) => {
    if (part.startsWith('[')) return printable.some((one) => new RegExp(part, flags).test(one)) ? part : 'é'
    return /^(?:\\[bB1-9]|\(|[$^])/.test(part) ? '' : part
  })
  // There is no generator for very large classes; such patterns match one character.
  if (/\\[pu]\{/.test(bare)) return []
  const matching = fc.stringMatching(new RegExp(`^(?:${bare || '.'})$`, flags.replace(/[giy]/g, '')), { size: 'small' })
  const samples = fc.sample(matching, { numRuns: 30, seed: 1 })
  return [...new Set(samples)].sort((one, other) => one.length - other.length).slice(0, 5)
}

const usual = [' ', '0', 'a', '"', '\\', '\\"', '/', '[', '(', '.', 'T', '%', 'x="\\"']

function attacksOn(pattern: Pattern): Attack[] {
  const samples = samplesOf(pattern)
  const pumped = samples.flatMap((sample) => {
    const places = [...sample.slice(0, 12)].map((_, place) => place)
    return places.flatMap((place) => {
      const often = [1, 2, sample.length].map((length) => sample.slice(place, place + length))
      return [...new Set([...often, ...usual.slice(0, 2)])].map((part): Attack => [sample.slice(0, place), part, '\0'])
    })
  })
  return [...pumped, ...usual.map((part): Attack => ['', part, '\0'])]
}

/** Repeats the slowest attacks on a short text with a long one, for which quadratic time is minutes and linear time is negligible. */
const worker = `
const { parentPort, workerData } = require('node:worker_threads')
const taken = (pattern, [before, often, after], characters) => {
  const text = before + often.repeat(characters / often.length) + after
  const startedMs = performance.now()
  if (pattern.global) text.replace(pattern, '')
  else pattern.exec(text)
  return performance.now() - startedMs
}
for (const { source, flags, attacks } of workerData) {
  const pattern = new RegExp(source, flags)
  const slowest = attacks.map((attack) => [taken(pattern, attack, 2000), attack]).sort(([one], [other]) => other - one)
  for (const [, attack] of slowest.slice(0, 3)) taken(pattern, attack, 300000)
  parentPort.postMessage('done')
}
`

/** The first pattern that is not done in time; null if all are. */
function firstSlow(patterns: readonly Pattern[], patienceMs: number): Promise<Pattern | null> {
  const workerData = patterns.map((pattern) => ({ ...pattern, attacks: attacksOn(pattern) }))
  return new Promise((resolve, reject) => {
    const thread = new Worker(worker, { eval: true, workerData })
    let done = 0
    const giveUp = () => thread.terminate().then(() => resolve(patterns[done]!), reject)
    let timer = setTimeout(giveUp, patienceMs)
    thread.on('error', reject)
    thread.on('message', () => {
      clearTimeout(timer)
      done += 1
      if (done === patterns.length) resolve(null)
      else timer = setTimeout(giveUp, patienceMs)
    })
  })
}

async function slowOf(patterns: readonly Pattern[], patienceMs: number): Promise<readonly string[]> {
  const slow: string[] = []
  for (let left = patterns; left.length > 0; ) {
    const one = await firstSlow(left, patienceMs)
    if (one === null) break
    slow.push(`${one.place} /${one.source}/${one.flags}`)
    left = left.slice(left.indexOf(one) + 1)
  }
  return slow
}

test('every regular expression of the service runs in time linear in its input', async () => {
  const all = sources.filter((file) => !file.endsWith('.test.ts')).flatMap((file) => patternsOf(textOf(file), file))
  // Patterns that occur several times are tested once.
  const patterns = [...new Map(all.map((one) => [`/${one.source}/${one.flags}`, one])).values()]
  expect(patterns.length).toBeGreaterThan(300)
  expect(await slowOf(patterns, 20_000)).toEqual([])
}, 1_200_000)

test('canary: a superlinear regular expression of a header parser is detected', async () => {
  const slow = patternsOf('const parts = /(?:"(?:[^"\\\\]|\\\\.)*"|[^;"]|")+/g', 'body.ts')
  expect(await slowOf(slow, 1000)).toHaveLength(1)
}, 60_000)
