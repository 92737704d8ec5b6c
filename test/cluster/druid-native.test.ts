// Runs every recorded native query through our own check and rewriting on a Druid again: the answer must be the one recorded from the original query.

import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Admission } from '../../src/admission/admission.ts'
import { Queries } from '../../src/admission/queries.ts'
import { UnsentAnswers } from '../../src/answer/unsent-answers.ts'
import { DruidSqlClient } from '../../src/druid-client/druid-sql-client.ts'
import { type NativeBody, nativeLanguage } from '../../src/druid-native/native-language.ts'
import { NativeOnDruid } from '../../src/druid-native/native-on-druid.ts'
import { Problem } from '../../src/model/problem.ts'
import { isRecorded, loadTool } from '../druid-sql/recorded.ts'
import { everyone } from '../support/everyone.ts'
import { recordedWorld } from './recorded-worlds.ts'
import { WorldsOnDruid } from './world-view.ts'

const home = resolve(import.meta.dirname, '../../../shared/druid')

interface Item {
  readonly id: string
  readonly level: string
  readonly query: { readonly queryType: string }
}

interface Tool {
  readonly nativeQueries: () => readonly Item[]
  readonly judge: (item: Item, recorded: unknown, actual: unknown) => { readonly verdict: string }
  readonly failed: (recorded: unknown) => boolean
  readonly parse: (text: string) => never
}

/** Refused by our check before the query runs. */
const refused = ['filter-regex-lookahead']

/** Answers that differ, as docs/druid-native.md says: the recorded ones are of published rows. */
const differing = {
  'not published yet': new Set([
    'topn-dimension-numeric',
    'gb-order-version',
    'sm-list',
    'sm-types-cardinality',
    'sm-merge-all',
    'sm-interval',
    'agg-hyperunique-on-string',
    ...refused,
  ]),
  published: new Set(refused),
}

if (!isRecorded) {
  test.skip('agreement with Druid: skipped, its recorded answers are not next to the project', () => undefined)
} else {
  const modules = ['corpus', 'answers', 'json'].map(
    (name) => import(pathToFileURL(join(home, 'lib', `${name}.mjs`)).href),
  )
  const tool: Tool = Object.assign({}, ...(await Promise.all(modules)))
  const { corpus } = await loadTool()
  const read = (name: string): string => readFileSync(join(home, 'fixtures', name), 'utf8')
  const settled: Record<string, string> = JSON.parse(read('settled.json'))
  const answers: { id: string; status: number; body: unknown; big?: { rows: number } }[] = tool.parse(
    read('answers-native.json'),
  )
  const recorded = new Map(answers.filter(({ id }) => settled[id] !== 'skip').map((answer) => [answer.id, answer]))
  const items = tool.nativeQueries().filter(({ id }) => recorded.has(id))

  describe('native queries on Druid, compared with recorded answers', () => {
    const clusterName = `n${Date.now().toString(36)}`
    const world = recordedWorld(corpus)
    const druid = new WorldsOnDruid(clusterName, { shares: false })
    const settings = { clusterName, queryTimeMs: 30_000 }
    const limits = { queryTimeMs: 30_000, resultRows: 1_000_000, resultBytes: 1e9, buckets: 1_000_000 }
    const onDruid = new NativeOnDruid({
      engine: new DruidSqlClient({ client: druid.client, settings, nowMs: Date.now }),
      clusterName,
      limits,
      unsent: new UnsentAnswers({ answerMemoryBytes: 1e9, memoryBytes: 1e9, fileBytes: 0 }),
      settings: { sliceMs: 1000, spoolDirectory: '' },
    })
    const definitions = { entity: (name: string) => world.entities.find((entity) => entity.name === name) }
    const admission = new Admission({ runningQueries: 1, runningSqlQueries: 1, waitingQueries: 0 })
    const queries = new Queries(nativeLanguage(definitions, onDruid), { admission, limits })

    beforeAll(() => druid.load([world]), 300_000)
    afterAll(() => druid.close(), 60_000)

    describe.each(['not published yet', 'published'] as const)('rows that are %s', (state) => {
      beforeAll(() => (state === 'published' ? druid.publish() : undefined), 610_000)

      test.each(items.map((item) => [item.id, item] as const))('%s', async (id, item) => {
        const expected = recorded.get(id)!
        const big = expected.big && { ...expected.big, rows: Number(expected.big.rows) }
        const reply = await ask(queries, item)
        const validated = {
          failed: tool.failed({ ...expected, status: Number(expected.status) }),
          big,
          body: expected.body,
        }
        const actual = { status: reply.status, body: reply.status === 200 ? tool.parse(reply.text) : null }
        expect({ ...tool.judge(item, validated, actual), text: reply.text.slice(0, 500) }).toMatchObject({
          verdict: differing[state].has(id) ? 'disagree' : 'agree',
        })
      })
    })
  })
}

async function ask(queries: Queries<NativeBody>, { query }: Item): Promise<{ status: number; text: string }> {
  try {
    const body = { query_type: query.queryType, query_data: query }
    const bytes = Buffer.from(JSON.stringify(body))
    const answer = await queries.run({ bytes, query }, new AbortController().signal, everyone)
    const chunks: Uint8Array[] = []
    for await (const chunk of answer.chunks) chunks.push(Buffer.from(chunk))
    answer.release()
    return { status: 200, text: Buffer.concat(chunks).toString('utf8') }
  } catch (error) {
    if (error instanceof Problem) return { status: error.status, text: error.message }
    return { status: 500, text: String(error) }
  }
}
