// Translates every recorded query and compares its answer with Druid's.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, isRecorded, loadData, loadTool, type RecordedData, recordings } from './recorded.ts'

/** Queries with intentionally different answers; docs/druid-sql.md gives the reasons. */
const differing = new Set([
  'sql-agg-sum-precise',
  'sql-fn-text-constants',
  'sql-fn-double-division-by-zero',
  'sql-fn-cast-text-odd',
  'sql-meta-table-exists',
])

if (!isRecorded) {
  test.skip('agreement with Druid: skipped without its recorded answers', () => undefined)
} else {
  const tool = await loadTool()
  const recorded = recordings(tool)
  const queries = tool.corpus.sqlQueries().filter(({ id }) => recorded.has(id))

  describe('SQL agrees with Druid', () => {
    const directory = mkdtempSync(join(tmpdir(), 'tidemark-druid-sql-'))
    let data: RecordedData
    beforeAll(async () => {
      data = await loadData(tool, directory)
    })
    afterAll(() => {
      data.engine.close()
      rmSync(directory, { recursive: true })
    })

    test.each(queries.map((query) => [query.id, query] as const))('%s', async (id, query) => {
      const expected = recorded.get(id)!
      const big = expected.big && { ...expected.big, rows: Number(expected.big.rows) }
      const reply = await ask(data, query.sql)
      const verdict = tool.answers.judge(
        query,
        { failed: tool.answers.failed(expected), big, body: expected.body },
        reply,
      )
      expect({ ...verdict, text: reply.text }).toMatchObject({ verdict: differing.has(id) ? 'disagree' : 'agree' })
    })
  })
}
