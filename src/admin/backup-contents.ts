// The contents of a backup, as listed in its file backup.json. The format is described in docs/formats/backup.md.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { Type } from 'typebox'
import { Check } from 'typebox/value'

/** The file that lists the contents of a backup. */
export const contentsName = 'backup.json'

const contentsFormat = 1

const Contents = Type.Object({
  format: Type.Integer(),
  made: Type.String(),
  /** Rows before it are in sealed files, the others in the journal. */
  sealedPosition: Type.Integer({ minimum: 0 }),
  /** The position after the last row. */
  position: Type.Integer({ minimum: 0 }),
  /** Paths are the same in the data folder and in the backup. No segment begins with a dot, so no path leads outside the folder. */
  files: Type.Array(
    Type.Object({
      path: Type.String({ pattern: '^\\w[\\w.-]*(/\\w[\\w.-]*)*$' }),
      bytes: Type.Integer({ minimum: 0 }),
      checksum: Type.Integer({ minimum: 0 }),
    }),
  ),
})
type Contents = Type.Static<typeof Contents>

export type BackupFile = Contents['files'][number]
export type BackupContents = Omit<Contents, 'format'>

/** The text of backup.json, whose last property is a checksum of the others. */
export function encodeContents(contents: BackupContents): string {
  const complete = { format: contentsFormat, ...contents }
  return `${JSON.stringify({ ...complete, checksum: checksumOf(complete) }, null, 1)}\n`
}

/** Throws an Error that states what is wrong when the folder is not a complete backup. */
export async function readContents(backup: string): Promise<BackupContents> {
  const path = join(backup, contentsName)
  const { checksum, ...complete } = parse(path, await readText(path, backup))
  if (complete['format'] !== contentsFormat) {
    throw new Error(
      `${path} has format ${String(complete['format'])}: a newer version of Tidemark made the backup. Restore it with that one.`,
    )
  }
  if (!Check(Contents, complete) || checksum !== checksumOf(complete)) {
    throw new Error(`${path} is damaged. Take another backup, or another copy of this one.`)
  }
  return complete
}

async function readText(path: string, backup: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new Error(
      `"${backup}" is not a backup: ${contentsName} cannot be read there. Give the folder of the backup, or the address of a replica such as file:///mnt/disk/folder.`,
      {
        cause: error,
      },
    )
  }
}

function parse(path: string, text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`${path} is damaged. Take another backup, or another copy of this one.`, { cause: error })
  }
}

function checksumOf(contents: object): number {
  return crc32(JSON.stringify(contents))
}
