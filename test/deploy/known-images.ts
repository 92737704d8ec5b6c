// How third-party images use their environment and disks, as far as our files rely on it; taken from their Dockerfiles and start scripts.

/** Folders with acknowledged data, or with data needed for a start. A volume for a parent folder counts too. */
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

/** Buffers in Druid 33's configuration of a cluster. The parts that answer queries allocate them at the start, outside the heap. */
export const druidBuffers: Readonly<Record<string, Buffers>> = {
  broker: { sizeBytes: '500MiB', numThreads: '1', numMergeBuffers: '6' },
  historical: { sizeBytes: '500MiB', numThreads: '15', numMergeBuffers: '4' },
  indexer: { sizeBytes: '100MiB', numThreads: '4', numMergeBuffers: '2' },
}

/** The parts for which Druid's small single-machine configuration has its own settings. */
export const partsOfSmallDruid = ['broker', 'coordinator', 'historical', 'middleManager', 'overlord', 'router']

const units: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 }

/** Converts `2g`, `200MiB` or `12Gi` to bytes. */
export function bytesOf(text: string): number {
  const [, count, unit] = /^(\d+)([kmg]?)i?b?$/i.exec(text) ?? []
  if (count === undefined) throw new Error(`${text} is no size`)
  return Number(count) * units[(unit ?? '').toLowerCase()]!
}

/** The size in a Java option; the last one counts where the option is repeated. */
export function javaOption(options: string, name: string): number {
  const found = options.split(' ').findLast((option) => option.startsWith(name))
  if (found === undefined) throw new Error(`${options} does not say ${name}`)
  return bytesOf(found.slice(name.length))
}
