// The note of the validation in progress, in its own file (docs/formats/validation-note.md). It is not fsynced: it has to survive the process only,
// because a crash of the machine is not caused by an entry.
import { crc32 } from 'node:zlib'
import { type Disk, type DiskFile, isDiskFull } from '../../lib/disk.ts'
import { nodeDisk } from '../../lib/node-disk.ts'
import { noteOf, noteText, type ValidationNote, type ValidationNotes } from './validation-notes.ts'
import { noteDeath } from './validation-watch.ts'

const noteBytes = 1024
const checksumChars = 8

export class NoteFile implements ValidationNotes {
  readonly #file: DiskFile

  private constructor(file: DiskFile) {
    this.#file = file
  }

  static async open(disk: Disk, path: string): Promise<NoteFile> {
    const there = await disk.open(path, { create: false }).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
      throw error
    })
    return new NoteFile(there ?? (await disk.open(path, { create: true })))
  }

  async read(): Promise<ValidationNote | null> {
    const bytes = Buffer.alloc(noteBytes)
    const line = bytes.toString('utf8', 0, await this.#file.read(bytes, 0)).trimEnd()
    const text = line.slice(checksumChars + 1)
    return line.slice(0, checksumChars) === checksumOf(text) ? noteOf(text) : null
  }

  /** If the disk is full no note is written: validation continues without it where it can. */
  async write(note: ValidationNote): Promise<void> {
    const text = noteText(note)
    const written = this.#file.write([Buffer.from(`${checksumOf(text)} ${text}`.padEnd(noteBytes - 1).concat('\n'))], 0)
    await written.catch((error: unknown) => {
      if (!isDiskFull(error)) throw error
    })
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

/** `noteDeath` for the note in this file. */
export async function noteDeathIn(path: string): Promise<boolean> {
  const notes = await NoteFile.open(nodeDisk, path)
  try {
    return await noteDeath(notes)
  } finally {
    await notes.close()
  }
}

function checksumOf(text: string): string {
  return crc32(text).toString(16).padStart(checksumChars, '0')
}
