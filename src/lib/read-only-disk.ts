import type { Disk, DiskFile } from './disk.ts'

/** A disk that is read for real and on which every change is dropped: what would be mended can be found out without mending it. */
export function readOnlyDisk(disk: Disk): Disk {
  return {
    ...disk,
    makeDirectory: async () => undefined,
    open: async (path, { create }) => (create ? emptyFile : unwritten(await disk.open(path, { create: false }))),
    link: async () => undefined,
    remove: async () => undefined,
    removeFolder: async () => undefined,
    rename: async () => undefined,
    syncDirectory: async () => undefined,
  }
}

const unchanged = {
  write: async () => undefined,
  truncate: async () => undefined,
  sync: async () => undefined,
}

const emptyFile: DiskFile = { ...unchanged, size: async () => 0, read: async () => 0, close: async () => undefined }

function unwritten(file: DiskFile): DiskFile {
  return {
    ...unchanged,
    size: () => file.size(),
    read: (buffer, offset) => file.read(buffer, offset),
    close: () => file.close(),
  }
}
