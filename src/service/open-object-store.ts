import { fileURLToPath } from 'node:url'
import { nodeDisk } from '../lib/node-disk.ts'
import { FileStore } from '../object-store/file/file-store.ts'
import type { ObjectStore } from '../object-store/object-store.ts'

/** The store that an address names. Throws an Error that says what to give. */
export function openObjectStore(url: string): ObjectStore {
  if (/^file:\/\/\/./.test(url) && URL.canParse(url)) return new FileStore(fileURLToPath(url), nodeDisk)
  if (/^s3:/.test(url)) {
    throw new Error(
      `${url}: a copy in S3 is not built yet. Give a folder of a mounted disk, as in file:///mnt/disk/folder.`,
    )
  }
  throw new Error(`"${url}" is no address of a copy. Give one as in file:///mnt/disk/folder.`)
}
