import { join, resolve } from 'node:path'
import type { Settings } from './settings.ts'

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

/** Where backups go: as a whole path, for who reads it stands in another folder than the service. */
export function backupDirectory({ backup, data }: Pick<Settings, 'backup' | 'data'>): string {
  return resolve(backup.directory === '' ? join(data, 'backups') : backup.directory)
}
