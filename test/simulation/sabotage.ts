// Faults planted between a part and its dependencies: a simulation that does not find them proves nothing.
import type { Disk, DiskFile } from '../../src/lib/disk.ts'

/** A disk with changes to the files that it opens. */
export function withFiles(change: (file: DiskFile, path: string) => Partial<DiskFile>): (disk: Disk) => Disk {
  return (disk) => changed(disk, { open: async (path, options) => open(disk, path, options) })
  async function open(disk: Disk, path: string, options: { readonly create: boolean }): Promise<DiskFile> {
    const file = await disk.open(path, options)
    return changed(file, change(file, path))
  }
}

/** The same object with some methods replaced. */
export function changed<T extends object>(original: T, methods: Partial<T>): T {
  return new Proxy(original, {
    get(target, name) {
      const found: unknown = Reflect.get(name in methods ? methods : target, name)
      return typeof found === 'function' ? found.bind(name in methods ? methods : target) : found
    },
  })
}

/** The first seed whose history fails, with the error; null when none does. */
export async function firstFault(
  seeds: { readonly first: number; readonly count: number },
  runHistory: (seed: number) => Promise<void>,
): Promise<string | null> {
  for (let seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
    try {
      await runHistory(seed)
    } catch (error) {
      return `seed=${seed}: ${error instanceof Error ? error.stack : error}`
    }
  }
  return null
}
