// Compares answers with the recorded ones of a real Druid, where the recording exists next to the repository, in `shared/druid`.
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Problem } from '../../src/model/problem.ts'
import { answerOf, DuckDbEngine, type TestColumn } from './duckdb-engine.ts'
import { knownDifferences } from './known-differences.ts'

const home = resolve(import.meta.dirname, '../../../shared/druid')

interface Item {
  readonly id: string
  readonly level: 'MUST' | 'SHOULD' | 'RARE'
  readonly query: unknown
}
interface Recorded {
  readonly id: string
  readonly status: bigint
  readonly body: unknown
  readonly big?: { readonly rows: bigint }
}
interface Verdict {
  readonly verdict: 'agree' | 'order' | 'shape' | 'disagree'
  readonly reason?: string
}
interface Field {
  readonly name: string
  readonly type: 'string' | 'long' | 'double' | 'boolean' | 'timestamp'
}
interface Tool {
  readonly nativeQueries: () => readonly Item[]
  readonly DATASET_NAMES: readonly string[]
  readonly dataset: (name: string) => { readonly tidemark: { readonly fields: readonly Field[] } }
  readonly lines: (dataset: unknown, target: 'tidemark') => readonly string[]
  readonly judge: (item: Item, recorded: unknown, actual: { status: number; body: unknown }) => Verdict
  readonly failed: (recorded: unknown) => boolean
  readonly parse: (text: string) => unknown
}

async function tool(): Promise<Tool> {
  const modules = await Promise.all(
    ['corpus', 'answers', 'json'].map((name) => import(pathToFileURL(join(home, 'lib', `${name}.mjs`)).href)),
  )
  return Object.assign({}, ...modules)
}

const columnsOf = (fields: readonly Field[]): readonly TestColumn[] =>
  fields
    .filter(({ type }) => type !== 'timestamp')
    .map(({ name, type }) => ({ name, type: type.toUpperCase() as TestColumn['type'] }))

describe.skipIf(!existsSync(home))('agreement with the recorded answers', () => {
  let engine: DuckDbEngine
  let folder: string
  let judged: readonly { readonly item: Item; readonly verdict: Verdict }[]

  async function ask(query: unknown, parse: Tool['parse']): Promise<{ status: number; body: unknown }> {
    try {
      return { status: 200, body: parse(await answerOf(query, engine)) }
    } catch (error) {
      return error instanceof Problem
        ? { status: error.status, body: error.body() }
        : { status: 500, body: String(error) }
    }
  }

  beforeAll(async () => {
    const { nativeQueries, DATASET_NAMES, dataset, lines, judge, failed, parse } = await tool()
    const { readFile } = await import('node:fs/promises')
    engine = await DuckDbEngine.open()
    folder = await mkdtemp(join(tmpdir(), 'tidemark-druid-native-'))
    for (const name of DATASET_NAMES) {
      const set = dataset(name)
      const file = join(folder, `${name}.ndjson`)
      await writeFile(file, lines(set, 'tidemark').join('\n'))
      await engine.load(name, columnsOf(set.tidemark.fields), file)
    }
    const fixtures = join(home, 'fixtures')
    const recorded = new Map(
      (parse(await readFile(join(fixtures, 'answers-native.json'), 'utf8')) as Recorded[]).map((answer) => [
        answer.id,
        answer,
      ]),
    )
    const settled = JSON.parse(await readFile(join(fixtures, 'settled.json'), 'utf8')) as Record<string, string>
    const results: { item: Item; verdict: Verdict }[] = []
    for (const item of nativeQueries()) {
      const answer = recorded.get(item.id)
      if (answer === undefined || settled[item.id] === 'skip') continue
      const big = answer.big && { ...answer.big, rows: Number(answer.big.rows) }
      const expected = { failed: failed({ ...answer, status: Number(answer.status) }), big, body: answer.body }
      results.push({ item, verdict: judge(item, expected, await ask(item.query, parse)) })
    }
    judged = results
  }, 120_000)

  afterAll(async () => {
    engine?.close()
    if (folder !== undefined) await rm(folder, { recursive: true })
  })

  test('the differing queries are exactly the known ones', () => {
    const differing = judged.filter(({ verdict }) => verdict.verdict !== 'agree')
    if (process.env['DRUID_NATIVE_EXPLAIN'] !== undefined) {
      for (const { item, verdict } of differing) console.log(item.level, item.id, verdict.verdict, verdict.reason)
    }
    expect(differing.map(({ item }) => item.id).sort()).toEqual([...knownDifferences].sort())
  })

  test.each([
    ['MUST', 1],
    ['SHOULD', 0.98],
    ['RARE', 0.94],
  ] as const)('of the %s queries, at least the share %d agrees', (level, least) => {
    const ofLevel = judged.filter(({ item }) => item.level === level)
    const agreeing = ofLevel.filter(({ verdict }) => verdict.verdict === 'agree')
    console.log(`${level}: ${agreeing.length} of ${ofLevel.length} agree`)
    expect(agreeing.length / ofLevel.length).toBeGreaterThanOrEqual(least)
  })
})
