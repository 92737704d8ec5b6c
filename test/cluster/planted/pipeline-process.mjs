// A pipeline in a process of its own, to be killed at any moment. Its settings are the one argument, as JSON.
import { openPostgresCatalog } from '../../../src/catalog/postgres/postgres-catalog.ts'
import { EntryValidator } from '../../../src/ingest/entry-validator.ts'
import { ItemValidator } from '../../../src/ingest/item-validator.ts'
import { RowValidator } from '../../../src/ingest/row-validator.ts'
import { KafkaJournalCursor } from '../../../src/journal/kafka/kafka-journal-cursor.ts'
import { KafkaClient } from '../../../src/kafka/kafka-client.ts'
import { RowsTopics } from '../../../src/kafka/rows-topics.ts'
import { SharedPartitions } from '../../../src/partitions/shared-partitions.ts'

const { access, postgresUrl, schema, settings, rowsTopics } = JSON.parse(process.argv[2])
const observe = (event) => {
  if (event.kind === 'partitionFailed' || event.kind === 'journalGap') console.error(JSON.stringify(event))
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
const validator = new EntryValidator({
  ingests: catalog.ingests,
  dropped: catalog.dropped,
  validator: new RowValidator({ rowBytes }),
  itemValidator: new ItemValidator({ rowBytes }),
})
const pipeline = new SharedPartitions({
  client,
  openCursor: () => new KafkaJournalCursor({ client: client.sibling(), topic: settings.topic, waitMs: 500, observe }),
  rowsTopics: new RowsTopics(client, rowsTopics),
  partitions: catalog.partitions,
  outcomes: catalog.outcomes,
  quarantine: catalog.quarantine,
  nowMs: Date.now,
  validator,
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
