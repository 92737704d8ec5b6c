import type { ObjectStore } from '../object-store/object-store.ts'
import {
  damagedObject,
  missingObject,
  type Part,
  ReplicaDamaged,
  type ReplicatedFile,
  sha256Of,
  unpack,
} from './replica-format.ts'
import type { StoreAttempt } from './replica-log.ts'

/** Pieces that are read concurrently. */
const readAhead = 4

/** Reads and verifies the pieces of a file, in order. `has` returns true for a piece that need not be read. Throws `ReplicaDamaged`. */
export async function eachPart(
  { store, attempt }: { readonly store: ObjectStore; readonly attempt: StoreAttempt },
  file: ReplicatedFile,
  take: (bytes: Uint8Array, offset: number) => Promise<void>,
  has: (part: Part, offset: number) => Promise<boolean> = async () => false,
): Promise<void> {
  const read = async (part: Part, offset: number): Promise<Uint8Array | null> => {
    if (await has(part, offset)) return null
    return attempt(async () => readPart(await store.get(part[0]), part))
  }
  const reading: Promise<Uint8Array | null>[] = []
  let aheadOffset = 0
  let offset = 0
  for (const [index, part] of file.parts.entries()) {
    for (let ahead = index + reading.length; reading.length < readAhead && ahead < file.parts.length; ahead++) {
      const next = read(file.parts[ahead]!, aheadOffset)
      next.catch(() => undefined)
      reading.push(next)
      aheadOffset += file.parts[ahead]![1]
    }
    const bytes = await reading.shift()
    if (bytes !== null && bytes !== undefined) await take(bytes, offset)
    offset += part[1]
  }
  if (offset !== file.bytes)
    throw new ReplicaDamaged(`the pieces of ${file.path} in the replica have ${offset} bytes, not ${file.bytes}`)
}

async function readPart(found: Uint8Array | null, [name, bytes, sha256, packed]: Part): Promise<Uint8Array> {
  if (found === null) throw missingObject(name)
  const content = packed === 1 ? await unpack(found, bytes).catch(() => null) : found
  if (content === null || content.length !== bytes || (await sha256Of(content)) !== sha256) throw damagedObject(name)
  return content
}
