// A pipeline in a process of its own, to be killed at any moment. Its settings are the one argument, as JSON.
import { openPostgresCatalog } from '../../dist/catalog/postgres/postgres-catalog.js'
import { EntryJudge } from '../../dist/ingest/entry-judge.js'
import { Judge } from '../../dist/ingest/judge.js'
import { ItemJudge } from '../../dist/ingest/judge-items.js'
import { KafkaJournalCursor } from '../../dist/journal/kafka/kafka-journal-cursor.js'
import { KafkaClient } from '../../dist/kafka/kafka-client.js'
import { RowsTopics } from '../../dist/kafka/rows-topics.js'
import { SharedLanes } from '../../dist/lanes/shared-lanes.js'

const { access, postgresUrl, schema, settings, rowsTopics } = JSON.parse(process.argv[2])
const observe = (event) => {
  if (event.kind === 'laneFailed' || event.kind === 'journalGap') console.error(JSON.stringify(event))
}
const client = new KafkaClient(access)
const catalog = await openPostgresCatalog({
  url: postgresUrl,
  caFile: '',
  schema,
  connectionsMax: 6,
  timeoutMs: 10_000,
})
const rowBytes = rowsTopics.rowBytesMax
const judge = new EntryJudge({
  ingests: catalog.ingests,
  dropped: catalog.dropped,
  judge: new Judge({ rowBytes }),
  itemJudge: new ItemJudge({ rowBytes }),
})
const pipeline = new SharedLanes({
  client,
  openCursor: () => new KafkaJournalCursor({ client: client.sibling(), topic: settings.topic, waitMs: 500, observe }),
  rowsTopics: new RowsTopics(client, rowsTopics),
  lanes: catalog.lanes,
  outcomes: catalog.outcomes,
  setAside: catalog.setAside,
  nowMs: Date.now,
  judge,
  observe,
  settings,
})
process.on('SIGTERM', async () => {
  await pipeline.close()
  client.close()
  await catalog.close()
})
process.send?.('started')
process.channel?.unref()
