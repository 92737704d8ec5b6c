// What the images of others do with their environment and their disks, as far as our files rely on it: from their Dockerfiles and start scripts.

/** Folders whose loss is the loss of what was acknowledged, or of what a start needs; a folder within counts as well. */
export function durableFolders(image: string, environment: Readonly<Record<string, string>>): readonly string[] {
  switch (image.split(':')[0]) {
    case 'apache/kafka':
      return [environment['KAFKA_LOG_DIRS'] ?? '/tmp/kafka-logs']
    case 'postgres':
      return [environment['PGDATA'] ?? '/var/lib/postgresql/data']
    case 'zookeeper':
      return [environment['ZOO_DATA_DIR'] ?? '/data', environment['ZOO_DATA_LOG_DIR'] ?? '/datalog']
    default:
      return []
  }
}

interface Buffers {
  readonly sizeBytes: string
  readonly numThreads: string
  readonly numMergeBuffers: string
}

/** Of the configuration of a cluster (Druid 33): the parts that answer queries take their buffers at the start, from memory outside of the heap. */
export const druidBuffers: Readonly<Record<string, Buffers>> = {
  broker: { sizeBytes: '500MiB', numThreads: '1', numMergeBuffers: '6' },
  historical: { sizeBytes: '500MiB', numThreads: '15', numMergeBuffers: '4' },
  indexer: { sizeBytes: '100MiB', numThreads: '4', numMergeBuffers: '2' },
}

/** The small configuration of one machine has parts of its own for these alone. */
export const partsOfSmallDruid = ['broker', 'coordinator', 'historical', 'middleManager', 'overlord', 'router']

const units: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 }

/** `2g`, `200MiB`, `12Gi` in bytes. */
export function bytesOf(text: string): number {
  const [, count, unit] = /^(\d+)([kmg]?)i?b?$/i.exec(text) ?? []
  if (count === undefined) throw new Error(`${text} is no size`)
  return Number(count) * units[(unit ?? '').toLowerCase()]!
}

/** The last of an option counts. */
export function javaOption(options: string, name: string): number {
  const found = options.split(' ').findLast((option) => option.startsWith(name))
  if (found === undefined) throw new Error(`${options} does not say ${name}`)
  return bytesOf(found.slice(name.length))
}
