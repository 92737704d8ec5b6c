import { statfs } from 'node:fs/promises'

/** How many bytes the disk of a folder has left for us. */
export async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}
