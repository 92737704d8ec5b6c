/** The disk operations that the journal and the store's files need, so that tests can substitute a disk that forgets, fills up or fails. */
export interface Disk {
  /** Names of the files in a folder, sorted; empty when there is no such folder. */
  list(directory: string): Promise<string[]>
  /** Names of the folders in a folder, sorted; empty when there is no such folder. */
  listFolders(directory: string): Promise<string[]>
  /** Makes a folder that only its owner can access. */
  makeDirectory(directory: string): Promise<void>
  /** Opens an existing file, or, if `create` is set, makes a new one that only its owner can access (fails if it exists). */
  open(path: string, options: OpenOptions): Promise<DiskFile>
  /** Gives a file a second name (hard link); fails if the disk does not support it. */
  link(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  /** Removes a folder and its contents, if it exists. */
  removeFolder(directory: string): Promise<void>
  /** Renames a file within its folder atomically; replaces a file of that name. */
  rename(from: string, to: string): Promise<void>
  /** Makes creations, removals and new names in the folder durable. */
  syncDirectory(directory: string): Promise<void>
}

export interface OpenOptions {
  readonly create: boolean
  /** Every write will be followed by `sync`; a disk that can do both in one call then does so. */
  readonly syncsWrites?: boolean
}

export interface DiskFile {
  size(): Promise<number>
  /** Reads up to `buffer.length` bytes at `offset`; fewer at the end of the file. */
  read(buffer: Uint8Array, offset: number): Promise<number>
  /** Writes all buffers at `offset`, or throws: a short write is continued or is an error. */
  write(buffers: readonly Uint8Array[], offset: number): Promise<void>
  truncate(size: number): Promise<void>
  /** Makes data and size durable (fdatasync). */
  sync(): Promise<void>
  close(): Promise<void>
}

/** Whether an operation failed because the disk, or the user's quota on it, is full. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}
