import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { printTable } from '../figures.ts'
import type { System } from './system.ts'

/** The resources of each idle system: all files of its folder, and the memory of its process and its descendants. */
export async function printAtRest(systems: readonly System[], folder: string, rows: number): Promise<void> {
  const lines: string[][] = []
  for (const { name, processId } of systems) {
    const bytes = await bytesIn(join(folder, name))
    const resident = (await Promise.all((await family(processId)).map(residentKibibytes))).reduce(
      (sum, one) => sum + one,
      0,
    )
    lines.push([name, (bytes / rows).toFixed(2), (resident / 1024).toFixed(0)])
  }
  printTable('At rest', ['system', 'bytes a row', 'resident MiB'], lines)
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(file.parentPath, file.name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** The process and its descendants. Linux only, like the other measurements. */
async function family(processId: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${processId}/task`)
  const texts = await Promise.all(tasks.map((task) => readFile(`/proc/${processId}/task/${task}/children`, 'utf8')))
  const children = texts.flatMap((text) => text.split(' ').filter(Boolean).map(Number))
  return [processId, ...(await Promise.all(children.map(family))).flat()]
}

async function residentKibibytes(processId: number): Promise<number> {
  return Number(/^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${processId}/status`, 'utf8'))?.[1])
}
