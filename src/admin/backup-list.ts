import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Type } from 'typebox'
import { codeOf, systemErrorText } from '../lib/system-error.ts'
import type { NextTokens } from '../model/next-token.ts'
import type { Page, PageRequest } from '../model/page.ts'
import { Problem } from '../model/problem.ts'
import { type BackupContents, readContents } from './backup-contents.ts'
import { backupPrefix } from './backups.ts'
import { pageOf, pageSchema } from './list-page.ts'

export const ListedBackupAnswer = Type.Object(
  {
    path: Type.String({ description: 'The folder, on the server.' }),
    made: Type.String({ description: 'When it was made.' }),
    bytes: Type.Integer({ description: 'The size of its files.' }),
    files: Type.Integer({ description: 'The number of files.' }),
  },
  { description: 'A backup in the folder of backups.' },
)
export type ListedBackupAnswer = Type.Static<typeof ListedBackupAnswer>

export const BackupPage = pageSchema(ListedBackupAnswer)

interface BackupListParts {
  /** The folder of backups; null where the service makes none. */
  readonly directory: string | null
  readonly tokens: NextTokens
}

interface FoundBackup extends ListedBackupAnswer {
  readonly name: string
}

/** The backups in the service's own folder, newest first. Incomplete ones are not listed. */
export class BackupList {
  readonly #parts: BackupListParts

  constructor(parts: BackupListParts) {
    this.#parts = parts
  }

  async list(request: PageRequest): Promise<Page<ListedBackupAnswer>> {
    const { tokens } = this.#parts
    const { Items, NextToken } = await pageOf<FoundBackup>(request, {
      tokens,
      scope: ['backups'],
      keyOf: ({ name }) => name,
      itemsAfter: (after, limit) => this.#after(after, limit),
    })
    return { Items: Items.map(({ path, made, bytes, files }) => ({ path, made, bytes, files })), NextToken }
  }

  async #after(after: string | null, limit: number): Promise<readonly FoundBackup[]> {
    const { directory } = this.#parts
    if (directory === null) return []
    // Their names begin with the time, after a common prefix.
    const names = (await namesIn(directory)).filter((name) => name.startsWith(backupPrefix))
    const found: FoundBackup[] = []
    for (const name of names.sort().reverse()) {
      if (after !== null && name >= after) continue
      if (found.length === limit) break
      const contents = await readContents(join(directory, name)).catch(() => null)
      if (contents !== null) found.push(foundBackup(directory, name, contents))
    }
    return found
  }
}

/** Empty when the folder does not exist yet. Throws on all other errors: an empty list for lack of permission would look as if the backups were lost. */
async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw new Problem('unavailable', `The folder of backups, ${directory}, cannot be read: ${systemErrorText(error)}.`)
  }
}

function foundBackup(directory: string, name: string, { made, files }: BackupContents): FoundBackup {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  return { name, path: join(directory, name), made, bytes, files: files.length }
}
