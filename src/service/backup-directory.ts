import { join } from 'node:path'
import type { Settings } from '../config/settings.ts'

/** Where backups go. */
export function backupDirectory({ backup, data }: Settings): string {
  return backup.directory === '' ? join(data, 'backups') : backup.directory
}
