import { join, resolve } from 'node:path'
import type { Settings } from '../config/settings.ts'

/** Where backups go: as a whole path, for who reads it stands in another folder than the service. */
export function backupDirectory({ backup, data }: Settings): string {
  return resolve(backup.directory === '' ? join(data, 'backups') : backup.directory)
}
