import { join, resolve } from 'node:path'
import type { Settings } from './settings.ts'

/** The paths within the data folder; see docs/formats/data-folder.md. */
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

/** The folder for backups, as an absolute path: its reader may have another working directory than the service. */
export function backupDirectory({ backup, data }: Pick<Settings, 'backup' | 'data'>): string {
  return resolve(backup.directory === '' ? join(data, 'backups') : backup.directory)
}
