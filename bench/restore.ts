// A replica of many rows is restored by the command, compared with a plain copy of the same bytes: the limit of the disk itself.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PeakMemory } from '../test/support/peak-memory.ts'
import { programPath, ServerProcess } from '../test/support/server-process.ts'
import { printTable, spread } from './figures.ts'
import { fill } from './query.ts'
import { pointsOfTag } from './questions.ts'
import { isCopied } from './replica-lag.ts'

const mebibyte = 2 ** 20

export interface RestoreBench {
  readonly rows: number
  readonly runs: number
}

/** The restore and the plain copy read from the disk each time, where the system can drop its page cache of the files. */
export async function benchRestore({ rows, runs }: RestoreBench): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const copy = join(directory, 'copy')
  const restored = join(directory, 'restored')
  const plain = join(directory, 'plain')
  const restores: Transfer[] = []
  const copies: Transfer[] = []
  let peakBytes = 0
  try {
    await pushWithCopy(join(directory, 'data'), pathToFileURL(copy).href, rows)
    await rm(join(directory, 'data'), { recursive: true })
    for (let run = 0; run < runs; run++) {
      await forget(copy)
      const { residentBytes, ...transfer } = await restoreByCommand(pathToFileURL(copy).href, restored)
      restores.push(transfer)
      peakBytes = Math.max(peakBytes, residentBytes)
      await forget(restored)
      copies.push(await copyPlainly(restored, plain))
      for (const folder of [restored, plain]) await rm(folder, { recursive: true })
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
  const megabytes = restores.map(({ bytes }) => bytes / 1e6)
  const title = `${rows / 1e6} million rows restored, ${spread(megabytes, 0)} MB, ${runs} times in turn with a plain copy`
  printTable(
    title,
    ['', 'seconds', 'MB/s', 'MiB resident at most'],
    [
      ['restore, with the start of the command', ...figuresOf(restores), (peakBytes / mebibyte).toFixed(0)],
      ['plain copy, each file fsynced', ...figuresOf(copies), ''],
    ],
  )
  const ratios = restores.map(({ seconds }, run) => seconds / copies[run]!.seconds)
  console.log(`\nseconds of the restore to those of the plain copy, run by run: ${spread(ratios, 2)}`)
}

interface Transfer {
  readonly bytes: number
  readonly seconds: number
}

const figuresOf = (transfers: readonly Transfer[]): readonly string[] => [
  spread(
    transfers.map(({ seconds }) => seconds),
    1,
  ),
  spread(
    transfers.map(({ bytes, seconds }) => bytes / 1e6 / seconds),
    0,
  ),
]

async function pushWithCopy(dataDirectory: string, replicaUrl: string, rows: number): Promise<void> {
  const server = await ServerProcess.start({ dataDirectory, environment: { TIDEMARK_REPLICA_URL: replicaUrl } })
  try {
    const { url } = server
    const tags = Math.max(1, Math.round(rows / pointsOfTag))
    const pushedFromMs = performance.now()
    await fill(url, tags)
    const rate = (tags * pointsOfTag) / (performance.now() - pushedFromMs)
    const fromMs = performance.now()
    await isCopied(url)
    const behind = ((performance.now() - fromMs) / 1000).toFixed(1)
    console.log(
      `pushed ${tags * pointsOfTag} rows of ${tags} tags with the copy on: ${rate.toFixed(0)} k rows/s until all was validated; the copy had all ${behind} s later`,
    )
  } finally {
    await server.stop()
  }
}

/** Throws an Error when the command fails. */
export async function restoreByCommand(url: string, data: string): Promise<Transfer & { residentBytes: number }> {
  const startedMs = performance.now()
  const child = spawn(process.execPath, [programPath, 'restore', url, '--data', data], { stdio: 'inherit' })
  const memory = new PeakMemory(child.pid!)
  const [code] = await once(child, 'close').finally(() => memory.stop())
  if (code !== 0) throw new Error(`the restore ended with ${code}`)
  const seconds = (performance.now() - startedMs) / 1000
  let bytes = 0
  for (const path of await filesIn(data)) bytes += (await stat(join(data, path))).size
  return { bytes, seconds, residentBytes: memory.takePeakBytes() }
}

async function copyPlainly(from: string, to: string): Promise<Transfer> {
  const startedMs = performance.now()
  const buffer = Buffer.allocUnsafe(mebibyte)
  let bytes = 0
  for (const path of await filesIn(from)) {
    await mkdir(dirname(join(to, path)), { recursive: true })
    const source = await open(join(from, path), 'r')
    const target = await open(join(to, path), 'wx')
    for (;;) {
      const { bytesRead } = await source.read(buffer, 0, buffer.length)
      if (bytesRead === 0) break
      await target.write(buffer, 0, bytesRead)
      bytes += bytesRead
    }
    await target.sync()
    await source.close()
    await target.close()
  }
  return { bytes, seconds: (performance.now() - startedMs) / 1000 }
}

/** Drops a folder's files from the page cache, so that the next reads come from the disk. Only GNU dd can request this. */
async function forget(folder: string): Promise<void> {
  const each = ['dd', 'if={}', 'iflag=nocache', 'count=0', 'status=none', ';']
  const child = spawn('find', [folder, '-type', 'f', '-exec', ...each], { stdio: 'inherit' })
  const [code] = await once(child, 'close')
  if (code !== 0) console.log('dd cannot ask the system to forget files here: they may come from its cache')
}

/** The paths of all files, relative to the folder. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}
