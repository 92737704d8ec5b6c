import { randomUUID } from 'node:crypto'
import type { IngestAnswer } from '../../client/answers.ts'
import { halvesOf } from '../../client/push-batch.ts'
import { batchesOf } from '../../file-push/batches.ts'
import { rowBytesMax } from '../../file-push/rows.ts'
import { given } from '../../lib/given.ts'
import { jsonMembers } from '../../lib/json-members.ts'
import { JsonRows } from '../../lib/json-rows.ts'
import { ProgressBar } from '../../lib/progress-bar.ts'
import { renamed } from './pieces.ts'
import { type CopyJob, patiently, type Sent, sendAll } from './sending.ts'

const bytesMax = 4 * 1024 * 1024
const pageItems = 1000

async function* pagesOf(job: CopyJob, table: string, progress: ProgressBar): AsyncGenerator<readonly Uint8Array[]> {
  for (let token: string | null | undefined; token !== null; ) {
    const page = given({ limit: pageItems, token })
    const text = await patiently(job, progress, () => job.source.itemsText(table, [], page))
    const answer = new Map(jsonMembers(text).map(({ name, value }) => [name, value]))
    const items = new JsonRows({ rowBytesMax })
    yield items.push(Buffer.from(answer.get('Items') ?? '[]'))
    items.end()
    token = JSON.parse(answer.get('NextToken') ?? 'null')
  }
}

async function* rowsOf(
  pages: AsyncIterable<readonly Uint8Array[]>,
  sources: ReadonlyMap<string, string>,
): AsyncGenerator<readonly Uint8Array[]> {
  for await (const items of pages) yield items.map((item) => renamed(item, sources))
}

/** Copies a table's items into the metadata ingest of the target. Done twice, it comes to the same. */
export function copyItems(job: CopyJob, ingest: IngestAnswer, items: number): Promise<Sent> {
  const { stderr, nowMs } = job.context
  const progress = new ProgressBar({ output: stderr, nowMs, total: items })
  const sources = new Map(ingest.fields.map(({ name, source }) => [name, source]))
  const rows = rowsOf(pagesOf(job, ingest.alias, progress), sources)
  return sendAll(job, batchesOf(rows, { rowsMax: pageItems, bytesMax, format: 'json', skipRows: 0 }), {
    ingest: ingest.alias,
    format: 'json',
    keyOf: () => randomUUID(),
    halves: (batch) => halvesOf(batch, 'json'),
    progress,
  })
}
