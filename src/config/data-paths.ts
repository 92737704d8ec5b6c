import { join } from 'node:path'

/** What lies where in the data folder; docs/formats/data-folder.md explains it. */
export function dataPaths(data: string) {
  return {
    catalog: join(data, 'catalog.sqlite'),
    journal: join(data, 'journal'),
    idempotency: join(data, 'idempotency'),
    spool: join(data, 'spool'),
    engine: join(data, 'engine'),
    deltas: join(data, 'engine', 'deltas'),
    store: join(data, 'store'),
    replica: join(data, 'replica'),
    live: join(data, 'live.json'),
    validation: join(data, 'validation.note'),
  }
}
