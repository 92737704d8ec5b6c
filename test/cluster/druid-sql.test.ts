// Runs every recorded SQL query through our own check and rewriting on a Druid again: the answer must be the one recorded from the original query.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DruidSqlClient } from '../../src/druid-client/druid-sql-client.ts'
import { sqlTable } from '../../src/druid-sql/bind/tables.ts'
import { druidStatement } from '../../src/druid-sql/rewrite/druid-statement.ts'
import { translateSql } from '../../src/druid-sql/translate.ts'
import { valueAt } from '../../src/model/column.ts'
import type { Entity } from '../../src/model/entity.ts'
import { formatInstant } from '../../src/model/instant.ts'
import { Problem } from '../../src/model/problem.ts'
import { isRecorded, loadTool, type Reply, recordings } from '../druid-sql/recorded.ts'
import { recordedWorld } from './recorded-worlds.ts'
import { WorldsOnDruid } from './world-view.ts'

/** Intended differences; docs/druid-sql.md gives the reasons. */
const differing = new Set([
  'sql-fn-text-constants', // Druid pads a constant of type CHAR. We write the text as a VARCHAR, which is not padded.
  'sql-fn-double-division-by-zero',
  'sql-fn-cast-text-odd', // Refused by our check before the query runs, as the one above.
  'sql-union-append', // Refused by this engine only.
])

if (!isRecorded) {
  test.skip('agreement with Druid: skipped, its recorded answers are not next to the project', () => undefined)
} else {
  const tool = await loadTool()
  const recorded = recordings(tool)
  const queries = tool.corpus.sqlQueries().filter(({ id }) => recorded.has(id))

  describe('SQL on Druid, compared with recorded answers', () => {
    const clusterName = `s${Date.now().toString(36)}`
    const world = recordedWorld(tool.corpus)
    const druid = new WorldsOnDruid(clusterName, { shares: false })
    const settings = { clusterName, queryTimeMs: 30_000 }
    const engine = new DruidSqlClient({ client: druid.client, settings, nowMs: Date.now })
    const { signal } = new AbortController()

    beforeAll(async () => {
      await druid.load([world])
      while ((await engine.knownColumns(signal)).size < world.entities.length) {
        await new Promise((resolve) => setTimeout(resolve, 500))
      }
    }, 300_000)
    afterAll(() => druid.close(), 60_000)

    test.each(queries.map((query) => [query.id, query] as const))('%s', async (id, query) => {
      const expected = recorded.get(id)!
      const big = expected.big && { ...expected.big, rows: Number(expected.big.rows) }
      const reply = await ask(engine, world.entities, query.sql, clusterName)
      const validated = { failed: tool.answers.failed(expected), big, body: expected.body }
      const verdict = tool.answers.judge(query, validated, reply)
      expect({ ...verdict, text: reply.text }).toMatchObject({
        verdict: differing.has(id) ? 'disagree' : 'agree',
      })
    })
  })
}

async function ask(
  engine: DruidSqlClient,
  entities: readonly Entity[],
  text: string,
  clusterName: string,
): Promise<Reply> {
  const { signal } = new AbortController()
  try {
    const tables = entities.map(sqlTable)
    const { query, columns } = translateSql(text, tables)
    const known = await engine.knownColumns(signal)
    const statement = druidStatement({ query }, { tables, entities, clusterName, known, items: [] })
    const body: object[] = []
    const types = columns.map(({ type }) => type)
    for await (const batch of engine.run({ statement, types }, { resultRows: 1_000_000 }, signal)) {
      for (let row = 0; row < batch.rows; row += 1) {
        const values = columns.map(({ name, type }, index) => {
          const value = valueAt(batch.columns[index]!, row)
          return [name, typeof value === 'number' && type === 'timestamp' ? formatInstant(value) : value]
        })
        body.push(Object.fromEntries(values))
      }
    }
    return { status: 200, body }
  } catch (error) {
    if (error instanceof Problem) return { status: error.status, text: error.message }
    return { status: 500, text: String(error) }
  }
}
