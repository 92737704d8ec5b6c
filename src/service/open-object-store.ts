import { fileURLToPath } from 'node:url'
import { nodeDisk } from '../lib/node-disk.ts'
import { FileStore } from '../object-store/file/file-store.ts'
import type { ObjectStore } from '../object-store/object-store.ts'

/** The location of a replica: the settings `replica.url`, `replica.endpoint` and `replica.region`. The last two are for S3, and may be empty. */
export interface ReplicaLocation {
  readonly url: string
  readonly endpoint: string
  readonly region: string
}

/** Opens the store at an address. Throws an Error that says which addresses are valid. */
export async function openObjectStore(
  { url, endpoint, region }: ReplicaLocation,
  requestMs: number,
): Promise<ObjectStore> {
  if (/^file:\/\/\/./.test(url) && URL.canParse(url)) return new FileStore(fileURLToPath(url), nodeDisk)
  if (/^s3:/.test(url)) {
    // Loaded here, so that a service without S3 takes less memory.
    const { S3Store } = await import('../object-store/s3/s3-store.ts')
    return new S3Store({ url, endpoint, region, requestMs })
  }
  throw new Error(
    `"${url}" is not the address of a replica. Give one such as file:///mnt/disk/folder or s3://bucket/prefix.`,
  )
}
