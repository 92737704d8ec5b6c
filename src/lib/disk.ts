/** What the journal and the store's files need of a disk, so that tests can put one under it that forgets, fills up or fails. */
export interface Disk {
  /** Names of the files in a folder, sorted; empty when there is no such folder. */
  list(directory: string): Promise<string[]>
  /** Names of the folders in a folder, sorted; empty when there is no such folder. */
  listFolders(directory: string): Promise<string[]>
  /** For its owner alone. */
  makeDirectory(directory: string): Promise<void>
  /** Opens an existing file, or makes a new one for its owner alone when `create` is set (fails if it is there). */
  open(path: string, options: OpenOptions): Promise<DiskFile>
  /** Gives a file a second name; fails where the disk cannot. */
  link(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  /** Removes a folder with all that is in it, if it is there. */
  removeFolder(directory: string): Promise<void>
  /** Gives a file another name in its folder, at once for all who look; a file of that name is replaced. */
  rename(from: string, to: string): Promise<void>
  /** Makes creations, removals and new names in the folder durable. */
  syncDirectory(directory: string): Promise<void>
}

export interface OpenOptions {
  readonly create: boolean
  /** Every write will be followed by `sync`: a disk that can do both in one go does. */
  readonly syncsWrites?: boolean
}

export interface DiskFile {
  size(): Promise<number>
  /** Reads up to `buffer.length` bytes at `offset`; fewer at the end of the file. */
  read(buffer: Uint8Array, offset: number): Promise<number>
  /** Writes all of the buffers at `offset`, or throws: a short write is finished or is an error. */
  write(buffers: readonly Uint8Array[], offset: number): Promise<void>
  truncate(size: number): Promise<void>
  /** Makes data and size durable (fdatasync). */
  sync(): Promise<void>
  close(): Promise<void>
}

/** Whether a disk refused something because it, or what its user may take of it, is full. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}
